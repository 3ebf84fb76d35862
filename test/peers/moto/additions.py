"""What EC2 does and moto does not, added to moto's own process.

- Capacity reservations and placement groups: create and describe.
- Fleets: errors of single pools (a subnet without addresses, a reservation without room, no service-linked role for spot instances),
  and instances that know the reservation and the group that they were launched into, the id of their zone, and from the moment of their
  launch the security groups of the template: with others, however briefly, every new node would count as drifted.

Answers are plain values; moto writes them as botocore's model of EC2 says, so their form on the wire is not ours.
"""

import fnmatch
import uuid
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import EC2Backend
from moto.ec2.responses import EC2Response
from moto.iam.models import iam_backends

SPOT_ROLE_PATH = "/aws-service-role/spot.amazonaws.com/"

Record = dict[str, Any]


def records(backend: EC2Backend, kind: str) -> list[Record]:
    """Kept on the backend, so that a reset of moto forgets them."""
    if not hasattr(backend, kind):
        setattr(backend, kind, [])
    return getattr(backend, kind)


def short_id(prefix: str) -> str:
    return f"{prefix}-{uuid.uuid4().hex[:17]}"


def tags_of(response: EC2Response, kind: str) -> list[dict[str, str]]:
    specifications = response._get_param("TagSpecifications", [])
    return [tag for spec in specifications if spec["ResourceType"] == kind for tag in spec["Tags"]]


def chosen(found: list[Record], filters: dict[str, list[str]], fields: dict[str, str]) -> list[Record]:
    """Filters are joined by and, their values by or; `fields` says which field a filter looks at."""

    def matches(record: Record, name: str, wanted: list[str]) -> bool:
        tags = {tag["Key"]: tag["Value"] for tag in record["Tags"]}
        if name == "tag-key":
            values = list(tags)
        elif name.startswith("tag:"):
            values = [tags[key] for key in tags if key == name[len("tag:") :]]
        elif name in fields:
            values = [record[fields[name]]]
        else:
            raise EC2ClientError("InvalidParameterValue", f"The filter '{name}' is invalid")
        return any(fnmatch.fnmatchcase(value, pattern) for value in values for pattern in wanted)

    return [it for it in found if all(matches(it, name, wanted) for name, wanted in filters.items())]


def named(found: list[Record], field: str, names: list[str], code: str) -> list[Record]:
    for name in names:
        if all(it[field] != name for it in found):
            raise EC2ClientError(code, f"'{name}' does not exist")
    return [it for it in found if it[field] in names] if names else found


def create_capacity_reservation(self: EC2Response) -> ActionResult:
    zone = self._get_param("AvailabilityZone")
    reservation = {
        "CapacityReservationId": short_id("cr"),
        "OwnerId": self.current_account,
        "AvailabilityZone": zone,
        "InstanceType": self._get_param("InstanceType"),
        "InstancePlatform": self._get_param("InstancePlatform"),
        "InstanceMatchCriteria": self._get_param("InstanceMatchCriteria", "open"),
        "TotalInstanceCount": int(self._get_param("InstanceCount")),
        "State": "active",
        "EndDateType": "unlimited",
        "Tags": tags_of(self, "capacity-reservation"),
    }
    records(self.ec2_backend, "capacity_reservations").append(reservation)
    return ActionResult({"CapacityReservation": reservation})


def describe_capacity_reservations(self: EC2Response) -> ActionResult:
    ids = self._get_param("CapacityReservationIds", [])
    if ids and self._get_param("MaxResults") is not None:
        raise EC2ClientError("InvalidParameterCombination", "ids cannot be used with maxResults")
    found = named(
        records(self.ec2_backend, "capacity_reservations"),
        "CapacityReservationId",
        ids,
        "InvalidCapacityReservationId.NotFound",
    )
    fields = {
        "state": "State",
        "owner-id": "OwnerId",
        "instance-type": "InstanceType",
        "availability-zone": "AvailabilityZone",
        "instance-match-criteria": "InstanceMatchCriteria",
    }
    answer = [
        {**it, "AvailableInstanceCount": room(self.ec2_backend, it)}
        for it in chosen(found, self._filters_from_querystring(), fields)
    ]
    return ActionResult({"CapacityReservations": answer})


def room(backend: EC2Backend, reservation: Record) -> int:
    """Instances that end make room again."""
    inside = [
        it
        for it in backend.all_instances()
        if getattr(it, "capacity_reservation_id", None) == reservation["CapacityReservationId"]
        and it.state in ("pending", "running")
    ]
    return reservation["TotalInstanceCount"] - len(inside)


def create_placement_group(self: EC2Response) -> ActionResult:
    partitions = self._get_param("PartitionCount")
    group = {
        "GroupId": short_id("pg"),
        "GroupName": self._get_param("GroupName"),
        "Strategy": self._get_param("Strategy", "cluster"),
        "State": "available",
        **({} if partitions is None else {"PartitionCount": int(partitions)}),
        "Tags": tags_of(self, "placement-group"),
    }
    records(self.ec2_backend, "placement_groups").append(group)
    return ActionResult({"PlacementGroup": group})


def describe_placement_groups(self: EC2Response) -> ActionResult:
    found = records(self.ec2_backend, "placement_groups")
    found = named(found, "GroupId", self._get_param("GroupIds", []), "InvalidPlacementGroup.Unknown")
    found = named(found, "GroupName", self._get_param("GroupNames", []), "InvalidPlacementGroup.Unknown")
    fields = {"state": "State", "strategy": "Strategy", "group-name": "GroupName"}
    return ActionResult({"PlacementGroups": chosen(found, self._filters_from_querystring(), fields)})


def template_data(backend: EC2Backend, config: Record) -> Record:
    """Of the latest version, which is the one that is asked for."""
    specification = config["LaunchTemplateSpecification"]
    return backend.get_launch_template_by_name(specification["LaunchTemplateName"]).versions[-1].data


def reservation_of(backend: EC2Backend, data: Record) -> Record | None:
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    found = [
        it
        for it in records(backend, "capacity_reservations")
        if it["CapacityReservationId"] == target.get("CapacityReservationId")
    ]
    return found[0] if found else None


def refusal(backend: EC2Backend, capacity: str, data: Record, override: Record) -> tuple[str, str] | None:
    roles = iam_backends[backend.account_id]["aws"].roles.values()
    if capacity == "spot" and all(role.path != SPOT_ROLE_PATH for role in roles):
        return (
            "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
            "The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.",
        )
    reservation = reservation_of(backend, data)
    if reservation is not None and room(backend, reservation) < 1:
        return "ReservationCapacityExceeded", "The requested reservation has no room left."
    if backend.get_subnet(override["SubnetId"]).available_ip_address_count < 1:
        return (
            "InsufficientFreeAddressesInSubnet",
            f"There are not enough free addresses in subnet '{override['SubnetId']}' to satisfy the requested number of instances.",
        )
    return None


def create_fleet_with_errors(create: Any) -> Any:
    """Wraps the backend's method: overrides that EC2 would refuse are taken out, and the fleet keeps an error for each."""

    def wrapped(self: EC2Backend, launch_template_configs: list[Record], **rest: Any) -> Any:
        target = rest["target_capacity_specification"]
        capacity = target.get("DefaultTargetCapacityType", "on-demand")
        errors: list[Record] = []
        kept: list[Record] = []
        for config in launch_template_configs:
            data = template_data(self, config)
            overrides = []
            for override in config["Overrides"]:
                why = refusal(self, capacity, data, override)
                if why is None:
                    overrides.append(override)
                    continue
                errors.append(
                    {
                        "ErrorCode": why[0],
                        "ErrorMessage": why[1],
                        "Lifecycle": "spot" if capacity == "spot" else "on-demand",
                        "LaunchTemplateAndOverrides": {
                            "LaunchTemplateSpecification": config["LaunchTemplateSpecification"],
                            "Overrides": override,
                        },
                    }
                )
            if overrides:
                kept.append({**config, "Overrides": overrides})
        if not kept:
            rest["target_capacity_specification"] = {**target, "TotalTargetCapacity": 0}
        fleet = create(self, launch_template_configs=kept, **rest)
        fleet.errors = errors
        launched = [item["instance"] for item in fleet.on_demand_instances]
        launched += [request.instance for request in fleet.spot_requests]
        for instance in launched:
            # moto launches everything from the first override.
            enter(self, instance, template_data(self, kept[0]))
        return fleet

    return wrapped


def enter(backend: EC2Backend, instance: Any, data: Record) -> None:
    """Into the reservation, the placement group and the security groups of the template, and the subnet's zone."""
    specification = data.get("CapacityReservationSpecification")
    if specification is not None:
        instance.capacity_reservation_specification = specification
    reservation = reservation_of(backend, data)
    if reservation is not None:
        instance.capacity_reservation_id = reservation["CapacityReservationId"]
    instance._placement.availability_zone_id = backend.get_subnet(instance.subnet_id).availability_zone_id
    placement = data.get("Placement", {})
    instance._placement.group_id = placement.get("GroupId")
    instance._placement.partition_number = placement.get("PartitionNumber")
    groups = [group for interface in data.get("NetworkInterfaces", []) for group in interface.get("Groups", [])]
    if groups:
        backend.modify_instance_security_groups(instance.id, groups)


def answer_with_errors(create: Any) -> Any:
    """Wraps the action: the answer tells the errors that the fleet keeps."""

    def wrapped(self: EC2Response) -> ActionResult:
        answer = create(self)
        fleet = self.ec2_backend.fleets[answer.result["FleetId"]]
        answer.result["Errors"] = fleet.errors
        return answer

    return wrapped


def install() -> None:
    for action in (
        create_capacity_reservation,
        describe_capacity_reservations,
        create_placement_group,
        describe_placement_groups,
    ):
        setattr(EC2Response, action.__name__, action)
    EC2Backend.create_fleet = create_fleet_with_errors(EC2Backend.create_fleet)
    EC2Response.create_fleet = answer_with_errors(EC2Response.create_fleet)
