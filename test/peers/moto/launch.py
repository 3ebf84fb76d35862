"""Runs moto's server with what these tests need and moto does not have.

Public SSM parameters (those of EKS, for instance) are put into the in-memory backend before the server starts, because PutParameter
refuses names below /aws/. Actions that moto does not know come from the modules beside this one.
"""

import argparse
import datetime
import json
from typing import Any

import additions
import instance_types
from moto import server
from moto.core import DEFAULT_ACCOUNT_ID
from moto.ssm.models import Parameter, ssm_backends
from zonal_shift import ZonalShift

# When AWS changed a public parameter last; fixed, so that answers are the same in every run.
LAST_MODIFIED = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)

# Of everybody in the account.
SECRET_KEY = "test"


def add_parameter(region: str, name: str, value: str) -> None:
    stored = ssm_backends[DEFAULT_ACCOUNT_ID][region]._parameters[name]
    stored.append(
        Parameter(
            account_id=DEFAULT_ACCOUNT_ID,
            name=name,
            value=value,
            parameter_type="String",
            description=None,
            allowed_pattern=None,
            keyid=None,
            last_modified_date=LAST_MODIFIED,
            version=len(stored) + 1,
            data_type="text",
        )
    )


def serve_zonal_shift() -> None:
    zonal_shift = ZonalShift(SECRET_KEY)

    class Dispatcher(server.DomainDispatcherApplication):
        def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
            app = zonal_shift if zonal_shift.handles(environ) else super().__call__
            return app(environ, start_response)

    server.DomainDispatcherApplication = Dispatcher


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", required=True, help="TCP port on loopback")
    parser.add_argument("--parameters", required=True, help="JSON file: a list of {region, name, value}")
    args = parser.parse_args()
    with open(args.parameters, encoding="utf-8") as file:
        for parameter in json.load(file):
            add_parameter(parameter["region"], parameter["name"], parameter["value"])
    additions.install()
    instance_types.install()
    serve_zonal_shift()
    server.main(["-H", "127.0.0.1", "-p", args.port])


if __name__ == "__main__":
    main()
