from __future__ import annotations

import base64
import gzip
import json

from evalkit.reporting.html.packing import TEXT_CHARS, blocks, cut, pack


def unpacked(text):
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_packed_data_comes_back_and_is_the_same_each_time():
    value = {"a": ["</script>", "\u202e", "\ud835", None, 1.5]}
    assert unpacked(pack(value)) == value
    assert pack(value) == pack(value)


def test_packed_data_holds_no_character_that_means_anything_in_html():
    assert not set(pack("</script>" * 100)) & set("<>&\"'")


def test_blocks_hold_the_values_in_order():
    assert [unpacked(block) for block in blocks(range(5), size=2)] == [[0, 1], [2, 3], [4]]
    assert list(blocks([])) == []


def test_a_long_text_is_cut_with_a_word():
    assert cut("x" * TEXT_CHARS) == "x" * TEXT_CHARS
    assert cut("x" * 1_000_000).endswith("[cut here: 1,000,000 characters in all]")
    assert len(cut("x" * 1_000_000)) < TEXT_CHARS + 60
