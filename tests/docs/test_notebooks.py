"""The notebooks of the docs run from start to end, and are kept without outputs."""

import importlib.util
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs" / "notebooks").glob("*.ipynb"))
needed = pytest.mark.skipif(
    importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None,
    reason="notebooks run with the extra `docs`, which is not installed",
)


def test_all_notebooks_are_found() -> None:
    assert len(NOTEBOOKS) == 2


@needed
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_kept_without_outputs(file: Path) -> None:
    import nbformat

    book = nbformat.read(file, 4)
    nbformat.validate(book)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in book.cells)


@needed
@pytest.mark.slow
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs(file: Path, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(file, 4)
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.execution_count == k for k, cell in enumerate(code, 1))
    shown = [output for cell in code for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert any("image/svg+xml" in output.get("data", {}) for output in shown)
