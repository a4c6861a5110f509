#!/usr/bin/env python3
"""Checks a Clicket journal without any of Clicket's code: the standard library of Python 3.8 and nothing else.

    verify_journal.py FILE [--key ed25519:HEX]

Each line of the file is one record; its digest is SHA-256 over the line without the digest member, each record names the
digest of the one before, and `checkpoint` and `sealed` records are signed with Ed25519 (checked here after RFC 8032,
section 5.1.7). Prints `broken` and `notice` lines, each naming line and record, and a last line with what was read.
Exit code: 0 sealed and whole, 1 not, 2 usage.
"""

import hashlib
import json
import re
import sys

# --- Ed25519, after RFC 8032 -------------------------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if x2 == 0:
        return None if sign else 0
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * SQRT_M1 % P
    if (x * x - x2) % P:
        return None
    return P - x if (x & 1) != sign else x


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(s, p):
    q = (0, 1, 1, 0)
    while s:
        if s & 1:
            q = add(q, p)
        p = add(p, p)
        s >>= 1
    return q


def point(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def signed(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = point(public), point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = multiply(s, BASE), add(r, multiply(k, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- the journal -------------------------------------------------------------------------------------------------------

CHECKPOINT_RECORDS_MAX = 16
LINE = re.compile(
    rb'(\{"at":(0|[1-9][0-9]*),"body":(.*)),"digest":"(sha256:[0-9a-f]{64})"'
    rb'(,"kind":"([a-z0-9_.-]{1,64})","prev":"(sha256:[0-9a-f]{64})","seq":(0|[1-9][0-9]*)\})',
    re.DOTALL,
)
KEY = re.compile(r"ed25519:[0-9a-f]{64}")
NONE = "sha256:" + 64 * "0"


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name occurs twice")
    return members


def refuse(constant):
    raise ValueError(constant)


class Walk:
    def __init__(self, given):
        self.given, self.key, self.run = given, None, None
        self.before = None  # (seq, digest)
        self.signed = 0
        self.records = 0
        self.ending = "open"
        self.intents = {}
        self.broken = 0
        self.gap = False

    def say(self, severity, line, text):
        self.broken += severity == "broken"
        print(f"{severity}: line {line}: {text}" if line else f"{severity}: {text}")

    def take(self, line, data):
        match = LINE.fullmatch(data)
        body = None
        if match:
            try:
                body = json.loads(match[3].decode(), object_pairs_hook=unique, parse_constant=refuse)
            except (ValueError, RecursionError):
                match = None
        if not match:
            self.gap = True
            return self.say("broken", line, "it is not a record")
        at, digest, kind, prev, seq = int(match[2]), match[4].decode(), match[6].decode(), match[7].decode(), int(match[8])
        if "sha256:" + hashlib.sha256(match[1] + match[5]).hexdigest() != digest:
            self.say("broken", line, f"the digest of record {seq} is not that of its content")
        self.place(line, kind, seq, prev, body)
        self.end(line, kind, seq, body)
        self.signature(line, kind, seq, prev, at, body)
        self.pair(line, kind, body)
        self.before, self.gap = (seq, digest), False
        self.records += 1

    def place(self, line, kind, seq, prev, body):
        if self.before is None and not self.gap:
            if seq != 0 or prev != NONE:
                self.say("broken", line, f"records 0 to {seq - 1} are missing" if seq else "record 0 follows from another")
            if kind != "journal" or not isinstance(body, dict) or body.get("format") != "clicket-journal" or body.get("version") != 1:
                return self.say("broken", line, "it is not the header of a journal of version 1")
            self.run, named = body.get("run"), body.get("key")
            named = named if isinstance(named, str) and KEY.fullmatch(named) else None
            self.key = self.given or named
            if self.given and not named:
                self.say("broken", line, "nothing in it is signed")
            elif self.given and named != self.given:
                self.say("broken", line, f"it names the key {named}, which is not the one given")
            return None
        if kind == "journal":
            self.say("broken", line, "a header stands in the middle")
        if self.before is None:
            return None
        expected = self.before[0] + 1
        if seq < expected:
            self.say("broken", line, f"record {seq} is repeated or out of place")
        elif self.gap:
            pass
        elif seq > expected:
            self.say("broken", line, f"records {expected} to {seq - 1} are missing")
        elif prev != self.before[1]:
            self.say("broken", line, f"record {seq} does not name the digest of the record before it")
        return None

    def end(self, line, kind, seq, body):
        if self.ending in ("sealed", "cut off and sealed"):
            self.say("broken", line, f"record {seq} stands after the seal")
        if kind == "torn":
            self.say("notice", line, "the run was cut off here and sealed afterwards")
            self.ending = "cut off"
        if kind == "sealed":
            if not isinstance(body, dict) or body.get("records") != seq + 1:
                self.say("broken", line, f"the seal does not count the {seq + 1} records up to it")
            self.ending = "cut off and sealed" if self.ending.startswith("cut off") else "sealed"

    def signature(self, line, kind, seq, prev, at, body):
        if self.key is None or kind not in ("checkpoint", "sealed"):
            return
        body = body if isinstance(body, dict) else {}
        text = body.get("signature") if isinstance(body.get("signature"), str) else ""
        if kind == "checkpoint":
            message, covered = f"clicket-journal-checkpoint 1\n{self.run}\n{seq}\n{prev}\n", seq
        elif not text and self.ending == "cut off and sealed":
            return
        else:
            message, covered = f"clicket-journal-seal 1\n{self.run}\n{seq + 1}\n{prev}\n{at}\n{body.get('reason')}\n", seq + 1
        proof = bytes.fromhex(text) if re.fullmatch(r"[0-9a-f]{128}", text) else b""
        if signed(bytes.fromhex(self.key[8:]), message.encode(), proof):
            self.signed = covered
        else:
            first = min(self.signed, seq)
            self.say("broken", line, f"the signature in record {seq} does not hold: a record from {first} to {seq} was changed")

    def pair(self, line, kind, body):
        if kind not in ("intent", "outcome"):
            return
        name = body.get("intent") if isinstance(body, dict) else None
        if not isinstance(name, str):
            self.say("broken", line, "an intent or outcome does not name its intent")
        elif kind == "intent":
            if name in self.intents:
                self.say("broken", line, f"intent {name!r} is written twice")
            self.intents[name] = line
        elif name not in self.intents:
            self.say("broken", line, f"the outcome of {name!r} has no intent before it")
        elif self.intents[name] == 0:
            self.say("broken", line, f"intent {name!r} has a second outcome")
        else:
            self.intents[name] = 0

    def finish(self):
        for name, line in self.intents.items():
            if line:
                self.say("broken" if self.ending == "sealed" else "notice", line, f"intent {name!r} has no outcome")
        if self.records == 0:
            return self.say("broken", 0, "it holds no record")
        if self.ending in ("open", "cut off"):
            self.say("notice", 0, "it has no seal: the run goes on, was cut off, or its end was removed")
        last = self.before[0]
        uncovered = last + 1 - self.signed
        if self.key and uncovered > 0:
            severity = "broken" if uncovered > CHECKPOINT_RECORDS_MAX + 2 else "notice"
            self.say(severity, 0, f"no signature covers records {self.signed} to {last}")
        return None


def main(arguments):
    given = None
    if len(arguments) == 3 and arguments[1] == "--key" and KEY.fullmatch(arguments[2]):
        given = arguments[2]
    elif len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    walk = Walk(given)
    with open(arguments[0], "rb") as journal:
        for line, data in enumerate(journal, 1):
            if data.endswith(b"\n"):
                walk.take(line, data[:-1])
            else:
                walk.say("broken", line, f"the file ends with {len(data)} bytes of an unfinished record")
    walk.finish()
    whole = walk.broken == 0 and walk.ending in ("sealed", "cut off and sealed")
    head = walk.before[1] if walk.before else NONE
    by = f", {walk.signed} of them signed by {walk.key}" if walk.key else ", unsigned"
    print(f"{'holds' if whole else 'DOES NOT HOLD'}: {walk.records} records{by}, head {head}")
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
