"""usage: read_parquet.py TABLE...

The schema and the rows of each table as pyarrow reads them."""
import json
import sys

import pyarrow.parquet

tables = []
for path in sys.argv[1:]:
    table = pyarrow.parquet.read_table(path)
    tables.append(
        {
            "columns": {field.name: str(field.type) for field in table.schema},
            "rows": table.to_pylist(),
        }
    )
json.dump(tables, sys.stdout)
