"""Which files the project's checks look at."""
import subprocess
from pathlib import Path


def tracked_files(root, *suffixes):
    """Files of the repository at `root`, new ones that git does not ignore included, as relative paths.

    Without git (the checks' own tests) every file below `root` counts. With `suffixes` only names that end so.
    """
    root = Path(root)
    if (root / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                                check=True, capture_output=True).stdout.decode().split("\0")
    else:
        listed = [str(path.relative_to(root)) for path in root.rglob("*")]
    return sorted(Path(name) for name in listed
                  if name and name.endswith(suffixes or "") and (root / name).is_file())


def report(findings):
    """Prints one line per finding; returns the exit status."""
    for finding in findings:
        print(finding)
    return 1 if findings else 0
