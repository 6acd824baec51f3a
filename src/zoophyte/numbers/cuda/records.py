"""Records in CUDA threads: the code of :mod:`zoophyte.numbers.lanes.records`, made known to numba-cuda."""

from __future__ import annotations

from typing import Any

from numba.cuda.extending import core_models as models  # noqa: TID253
from numba.cuda.extending import register_model, typeof_impl  # noqa: TID253

from zoophyte.numbers.lanes.records import RecordClassType, RecordType
from zoophyte.numbers.records import RecordClass


@typeof_impl.register(RecordClass)
def _type_of_class(record: RecordClass, context: Any) -> RecordClassType:
    return RecordClassType(record)


@register_model(RecordType)
class _RecordModel(models.StructModel):
    def __init__(self, manager: Any, kind: RecordType) -> None:
        super().__init__(manager, kind, kind.members)


register_model(RecordClassType)(models.OpaqueModel)
