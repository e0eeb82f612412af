"""Points in time as `date -d` reads them, relative words included (UTC, as the lab's hosts are)."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta

_UNITS = {
    "sec": 1,
    "second": 1,
    "min": 60,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "week": 604800,
    "fortnight": 1209600,
}
_COUNTS = {"a": 1, "an": 1, "next": 1, "last": -1, "this": 0}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_RELATIVE = re.compile(
    r"([+-]?\s*\d+|a|an|next|last|this)?\s*"
    r"(seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|fortnights?|months?|years?)(\s+ago)?\b"
)
_STAMP = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:t|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?\s*"
    r"(z|utc|gmt|[+-]\d{2}:?\d{2})?"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?\s*(am|pm)?\s*(?:z|utc)?")
_NAMED = re.compile(
    r"(?:(\d{1,2})\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*(\d{1,2})?"
    r"(?:,?\s+(\d{4}))?(?![\d:])"
)


def _months(moment: datetime, count: int) -> datetime:
    """mktime's way: the day runs over into the next month when the month is too short."""
    month = moment.month - 1 + count
    first = moment.replace(year=moment.year + month // 12, month=month % 12 + 1, day=1)
    return first + timedelta(days=moment.day - 1)


def parse(text: str, now: datetime) -> datetime:
    """Raises ValueError for what is no date."""
    rest = re.sub(r"\s+", " ", text.strip().lower())
    if re.fullmatch(r"@-?\d+(\.\d+)?", rest):
        return datetime.fromtimestamp(float(rest[1:]), UTC)
    moment = now
    stamp = _STAMP.search(rest)
    if stamp:
        year, month, day, hour, minute, second, zone = stamp.groups()
        moment = datetime(
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
        )
        if zone and zone[0] in "+-":
            sign = -1 if zone[0] == "+" else 1
            moment += sign * timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
        rest = rest.replace(stamp.group(0), " ", 1)
    elif named := _NAMED.search(rest):
        before, month_name, after, year = named.groups()
        if not before and not after:
            raise ValueError(text)
        moment = moment.replace(
            month=_MONTHS.index(month_name) + 1, day=int(before or after), hour=0, minute=0, second=0
        )
        moment = moment.replace(year=int(year)) if year else moment
        moment = moment.replace(microsecond=0)
        rest = rest.replace(named.group(0), " ", 1)
    clock = _CLOCK.search(rest)
    if clock:
        hour, minute, second, half = clock.groups()
        hours = int(hour) % 12 + (12 if half == "pm" else 0) if half else int(hour)
        moment = moment.replace(hour=hours, minute=int(minute), second=int(second or 0), microsecond=0)
        rest = rest.replace(clock.group(0), " ", 1)
    for word, days in (("tomorrow", 1), ("yesterday", -1), ("today", 0), ("now", 0), ("midnight", 0), ("noon", 0)):
        if re.search(rf"\b{word}\b", rest):
            rest = re.sub(rf"\b{word}\b", " ", rest, count=1)
            moment += timedelta(days=days)
            if word in ("midnight", "noon"):
                moment = moment.replace(hour=12 if word == "noon" else 0, minute=0, second=0, microsecond=0)
    for found in list(_RELATIVE.finditer(rest)):
        count_text, unit, ago = found.groups()
        count = _COUNTS.get(count_text or "a")
        if count is None:
            count = int((count_text or "1").replace(" ", ""))
        count = -count if ago else count
        unit = unit.rstrip("s")
        moment = (
            _months(moment, count * (12 if unit == "year" else 1))
            if unit in ("month", "year")
            else moment + timedelta(seconds=count * _UNITS[unit])
        )
        rest = rest.replace(found.group(0), " ", 1)
    for index, day in enumerate(_DAYS):
        found_day = re.search(rf"\b(next |last )?{day[:3]}(?:{day[3:]})?\b", rest)
        if found_day:
            ahead = (index - moment.weekday()) % 7
            if found_day.group(1) == "next " and ahead == 0:
                ahead = 7
            if found_day.group(1) == "last ":
                ahead = ahead - 7
            moment = (moment + timedelta(days=ahead)).replace(hour=0, minute=0, second=0, microsecond=0)
            rest = rest.replace(found_day.group(0), " ", 1)
    if re.sub(r"\b(utc|gmt|and|z)\b|[,\s]", "", rest):
        raise ValueError(text)
    return moment


def spell(moment: datetime, form: str) -> str:
    """strftime as GNU date has it, independent of the platform's own."""
    days = [d.capitalize() for d in _DAYS]
    day, month = days[moment.weekday()], calendar.month_name[moment.month]
    epoch = int(moment.timestamp())
    half = "AM" if moment.hour < 12 else "PM"
    table = {
        "Y": f"{moment.year:04}", "m": f"{moment.month:02}", "d": f"{moment.day:02}", "H": f"{moment.hour:02}",
        "M": f"{moment.minute:02}", "S": f"{moment.second:02}", "y": f"{moment.year % 100:02}", "e": f"{moment.day:2}",
        "j": f"{moment.timetuple().tm_yday:03}", "k": f"{moment.hour:2}", "I": f"{moment.hour % 12 or 12:02}",
        "l": f"{moment.hour % 12 or 12:2}", "p": half, "P": half.lower(),
        "a": day[:3], "A": day, "b": month[:3], "h": month[:3], "B": month, "s": str(epoch),
        "C": f"{moment.year // 100:02}",
        "N": f"{moment.microsecond * 1000:09}", "Z": "UTC", "z": "+0000", ":z": "+00:00", "n": "\n", "t": "\t",
        "%": "%",
        "u": str(moment.isoweekday()), "w": str(moment.isoweekday() % 7), "V": f"{moment.isocalendar()[1]:02}",
        "G": f"{moment.isocalendar()[0]}", "q": str((moment.month + 2) // 3),
        "U": f"{(moment.timetuple().tm_yday + 6 - moment.isoweekday() % 7) // 7:02}",
    }  # fmt: skip
    table["F"] = f"{table['Y']}-{table['m']}-{table['d']}"
    table["T"] = table["X"] = f"{table['H']}:{table['M']}:{table['S']}"
    table["R"] = f"{table['H']}:{table['M']}"
    table["D"] = table["x"] = f"{table['m']}/{table['d']}/{table['y']}"
    table["r"] = f"{table['I']}:{table['M']}:{table['S']} {table['p']}"
    table["c"] = f"{table['a']} {table['b']} {table['e']} {table['T']} {table['Y']}"

    def one(match: re.Match[str]) -> str:
        flag, width, key = match.groups()
        if key not in table:
            return match.group(0)
        value = table[key]
        if key == "N" and width:
            return value[: int(width)]
        if flag == "-":
            value = value.lstrip("0 ") or "0"
        elif flag == "_":
            value = re.sub(r"^0+(?=.)", lambda m: " " * len(m.group(0)), value)
        elif flag == "^":
            value = value.upper()
        return value.rjust(int(width), " " if flag == "_" else "0") if width else value

    return re.sub(r"%([-_^0]?)(\d*)(:?[a-zA-Z%])", one, form)
