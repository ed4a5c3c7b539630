import subprocess
import sys

import pytest

from evalkit.errors import UsageError
from evalkit.providers.clients import CLIENTS, make_client, preload
from evalkit.records.judges import JudgeConfig


def test_the_floor_asks_no_server(tmp_path):
    with pytest.raises(UsageError, match="floor"):
        make_client(JudgeConfig(), tmp_path)
    preload(JudgeConfig())


def test_replay_needs_a_file(tmp_path):
    with pytest.raises(UsageError, match="--record"):
        make_client(JudgeConfig(client="replay", model="m"), tmp_path)


def test_every_client_but_the_floor_is_in_the_table():
    assert set(CLIENTS) == {"litellm", "openai", "replay"}


HEAVY = ("litellm", "openai", "aiohttp", "httpx", "diskcache", "tenacity", "asyncio")


@pytest.mark.parametrize(
    ("statement", "loaded"),
    [
        (
            "import evalkit.providers.clients, evalkit.providers.reply_cache, evalkit.providers.families, evalkit.providers.meter",
            set(),
        ),
        ("import evalkit.providers.replay, evalkit.providers.ping", set()),
        (
            "import evalkit.providers.clients as c, evalkit.records.judges as j; c.preload(j.JudgeConfig(client='openai', model='m'))",
            {"aiohttp", "tenacity", "asyncio"},
        ),
    ],
)
def test_heavy_packages_are_imported_only_by_what_needs_them(statement, loaded):
    script = f"{statement}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) == loaded
