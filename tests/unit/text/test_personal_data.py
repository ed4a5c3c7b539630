from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.personal_data import is_card_number, is_iban, masked, personal_data


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Mail anna.b@example.com.", "email", "anna.b@example.com"),
        ("IBAN DE89 3704 0044 0532 0130 00 ok", "iban", "DE89 3704 0044 0532 0130 00"),
        ("gb82west12345698765432", "iban", "gb82west12345698765432"),
        ("card 4111 1111 1111 1111 12/30", "credit_card", "4111 1111 1111 1111"),
        ("card 4111 1111 1111 1111 123", "credit_card", "4111 1111 1111 1111"),
        ("3782-822463-10005", "credit_card", "3782-822463-10005"),
        ("4111111111111111", "credit_card", "4111111111111111"),
        ("SSN 123-45-6789", "ssn", "123-45-6789"),
        ("from 192.168.1.10,", "ip_address", "192.168.1.10"),
        ("2001:db8::1", "ip_address", "2001:db8::1"),
        ("call +49 30 901820", "phone", "+49 30 901820"),
        ("(555) 123-4567", "phone", "(555) 123-4567"),
        ("1-555-123-4567", "phone", "1-555-123-4567"),
        ("0800 123 4567", "phone", "0800 123 4567"),
        ("0049 30 901820", "phone", "0049 30 901820"),
    ],
)
def test_each_kind_is_found(text: str, kind: str, value: str) -> None:
    assert [(datum.kind, datum.value) for datum in personal_data(text)] == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "card 4111 1111 1111 1112", "DE00 3704 0044 0532 0130 00", "000-12-3456", "version 1.2.3.4", "1.2.3.4.5", "300.1.1.1",
        "std::vector", "a::b", "10:20:30", "on 2024-03-05 at 10:20", "order 20240305123456", "@handle", "a@b", "0-100", "30 days",
        "0000 0000 0000 0000", "$1,200,300.00", "978-3-16-148410-0",
    ],
)  # fmt: skip
def test_look_alikes_are_not(text: str) -> None:
    assert personal_data(text) == []


def test_only_the_kinds_asked_for_are_found() -> None:
    text = "a@example.com, 4111111111111111"
    assert [datum.kind for datum in personal_data(text, ["credit_card"])] == ["credit_card"]


@given(st.text(alphabet="0123456789", min_size=12, max_size=18))
def test_exactly_one_check_digit_makes_a_card_number(digits: str) -> None:
    valid = [digit for digit in "0123456789" if is_card_number(digits + digit)]
    assert len(valid) == 1 or len(set(digits)) == 1


@given(st.text(alphabet="ABCXYZ0123456789", min_size=11, max_size=30))
def test_an_iban_with_its_check_digits_passes_and_with_others_fails(account: str) -> None:
    digits = "".join(str(int(character, 36)) for character in account + "DE00")
    check = 98 - int(digits) % 97
    assert is_iban(f"DE{check:02}{account}")
    assert not is_iban(f"DE{(check + 1) % 97:02}{account}")


@pytest.mark.parametrize(
    "text",
    [
        "anna.b@example.com",
        "4111 1111 1111 1111",
        "DE89370400440532013000",
        "123-45-6789",
        "192.168.1.10",
        "+4930901820",
    ],
)
def test_a_masked_value_cannot_be_used(text: str) -> None:
    shown = masked(personal_data(text)[0])
    assert "***" in shown
    assert text not in shown
    assert sum(character.isdigit() for character in shown) <= 2


@given(st.text(alphabet="0123456789 -.:@abEF()+/"))
def test_any_text_is_searched_without_overlaps(text: str) -> None:
    end = 0
    for datum in personal_data(text):
        assert end <= datum.start
        assert text[datum.start : datum.end] == datum.value
        end = datum.end
