"""The mapper of a worker, which must be that of the job on every node."""

from collections.abc import Mapping
from typing import Any

from ...errors import EnvironmentFault
from ...graphs.mapper import Mapper
from ...ontology.search.encode import packaged_encoder
from ...ontology.table import short_signature


def mapper_of_job(settings: Mapping[str, Any], signature: str) -> Mapper:
    """Open the mapper with these settings, for a worker on one core.

    signature: that of the mapper where the command runs. Raises EnvironmentFault for another.
    """
    mapper = Mapper(**settings)
    packaged_encoder().threads = 1
    if short_signature(mapper.signature) != signature:
        raise EnvironmentFault(
            "a node of the cluster has another version of dxjudge, other sources or another "
            "index than this machine"
        )
    return mapper
