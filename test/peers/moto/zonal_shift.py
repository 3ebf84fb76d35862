"""ARC's GetManagedResource, which moto does not have, as botocore's model describes it.

A request must be signed as botocore would sign it; its path is taken apart by the model's own template, and the answer is written by
the model's protocol, so nothing here repeats what the code under test believes about the service.
"""

import json
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.validate import validate_parameters
from moto.core.serialize import RestJSONSerializer
from moto.core.utils import get_service_model

SERVICE = "arc-zonal-shift"
CONTROL_PATH = "/moto-api/zonal-shifts"

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class Refusal(Exception):
    """An error of the model, by its name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ZonalShift:
    def __init__(self, secret_key: str) -> None:
        self.secret_key = secret_key
        self.operation = get_service_model(SERVICE).operation_model("GetManagedResource")
        self.resources: dict[str, list[dict[str, Any]]] = {}

    def handles(self, environ: Environ) -> bool:
        return f"/{SERVICE}/" in environ.get("HTTP_AUTHORIZATION", "") or environ["PATH_INFO"] == CONTROL_PATH

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == CONTROL_PATH:
            wanted = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
            self.resources[wanted["resource"]] = wanted["shifts"]
            start_response("204 No Content", [])
            return []
        answer = RestJSONSerializer(self.operation).serialize(self.answer(environ))
        headers = [(name, str(value)) for name, value in answer["headers"].items()]
        start_response(f"{answer['status_code']} of ARC", headers)
        body = answer["body"]
        return [body if isinstance(body, bytes) else body.encode()]

    def answer(self, environ: Environ) -> dict[str, Any] | Refusal:
        if not self.is_signed(environ):
            return Refusal("AccessDeniedException", "The request signature does not match.")
        template = self.operation.http["requestUri"]
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template)
        match = re.fullmatch(pattern, environ["RAW_URI"])
        if environ["REQUEST_METHOD"] != self.operation.http["method"] or match is None:
            return Refusal("ValidationException", f"There is no {environ['RAW_URI']}.")
        params = {name: unquote(value) for name, value in match.groupdict().items()}
        validate_parameters(params, self.operation.input_shape)
        shifts = self.resources.get(params["resourceIdentifier"])
        if shifts is None:
            return Refusal("ResourceNotFoundException", "There is no such managed resource.")
        zones = {shift["awayFrom"]: 0.0 for shift in shifts}
        return {
            "arn": params["resourceIdentifier"],
            "appliedWeights": zones,
            "zonalShifts": [
                {
                    "zonalShiftId": str(number),
                    "resourceIdentifier": params["resourceIdentifier"],
                    "awayFrom": shift["awayFrom"],
                    "appliedStatus": shift["appliedStatus"],
                    "startTime": datetime.now(),
                    "expiryTime": datetime.fromisoformat(shift["expiryTime"]),
                    "comment": "test",
                }
                for number, shift in enumerate(shifts)
            ],
        }

    def is_signed(self, environ: Environ) -> bool:
        parts = dict(re.findall(r"(\w+)=([^,\s]+)", environ["HTTP_AUTHORIZATION"]))
        access_key, _, region, service, _ = parts["Credential"].split("/")
        headers = {name: environ["HTTP_" + name.upper().replace("-", "_")] for name in parts["SignedHeaders"].split(";")}
        request = AWSRequest(environ["REQUEST_METHOD"], f"http://{environ['HTTP_HOST']}{environ['RAW_URI']}", headers)
        request.context["timestamp"] = headers["x-amz-date"]
        signer = SigV4Auth(Credentials(access_key, self.secret_key), service, region)
        text = signer.string_to_sign(request, signer.canonical_request(request))
        return signer.signature(text, request) == parts["Signature"]
