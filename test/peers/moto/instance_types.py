"""DescribeInstanceTypes of moto, at the cost of one answer for each question.

The answer is the same for as long as the server runs, and moto takes two seconds of processor time to write it.
"""

import json
from typing import Any

from moto.ec2.responses import EC2Response


def write_once(describe: Any) -> Any:
    """Wraps the action; unlike moto's own, it ends a dry run as EC2 does."""
    answers: dict[tuple[str, str], Any] = {}

    def wrapped(self: EC2Response) -> Any:
        self.error_on_dryrun()
        question = (self.region, json.dumps(self.params, sort_keys=True, default=str))
        if question not in answers:
            answers[question] = self.serialized(describe(self))
        return answers[question]

    return wrapped


def install() -> None:
    EC2Response.describe_instance_types = write_once(EC2Response.describe_instance_types)
