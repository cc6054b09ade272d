# The rows of a dataset in Parquet as arrays: python parquet_rows.py FOLDER
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def numbers(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column of numbers as an array, one row of numbers for each row of the dataset."""
    values = column.combine_chunks()
    while pa.types.is_fixed_size_list(values.type):
        values = values.flatten()
    return values.to_numpy(zero_copy_only=False).reshape(len(column), -1)


files = sorted(Path(sys.argv[1]).glob("decisions-*.parquet"))
table = pq.read_table(files, columns=["game", "view", "mask", "action", "result"]).flatten()
fields = [name for name in table.column_names if name.startswith("view.")]
observation = np.hstack([numbers(table[name]) for name in fields])  # float32 [rows, F]
mask = numbers(table["mask"])  # int8 [rows, A]
action = numbers(table["action"])[:, 0]  # int64 [rows]
print(observation.shape, mask.shape, mask[np.arange(len(action)), action].all())
