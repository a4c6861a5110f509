"""Captures every packet that is sent in this network namespace and prints where each goes, once: `tcp 127.0.0.1 3128`.

Of TCP only the packets that begin a connection count; they alone say who wanted to speak to whom.
"""
import socket

ETH_P_ALL, OUTGOING, IPV4, IPV6, TCP, UDP = 3, 4, 0x0800, 0x86DD, 6, 17


def told(protocol, packet):
    if protocol == IPV4 and len(packet) >= 20:
        kind, to, rest = packet[9], socket.inet_ntop(socket.AF_INET, packet[16:20]), packet[(packet[0] & 15) * 4:]
    elif protocol == IPV6 and len(packet) >= 40:
        kind, to, rest = packet[6], socket.inet_ntop(socket.AF_INET6, packet[24:40]), packet[40:]
    else:
        return f"protocol {protocol:#x}"
    if kind == TCP and len(rest) >= 14:
        return f"tcp {to} {int.from_bytes(rest[2:4], 'big')}" if rest[13] & 0x12 == 0x02 else None
    if kind == UDP and len(rest) >= 4:
        return f"udp {to} {int.from_bytes(rest[2:4], 'big')}"
    return f"ip {kind} {to}"


def main():
    try:
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    except OSError:
        return
    print("ready", flush=True)
    seen = {None}
    while True:
        packet, (_, protocol, way, *_) = wire.recvfrom(65535)
        word = told(protocol, packet) if way == OUTGOING else None
        if word not in seen:
            seen.add(word)
            print(word, flush=True)


main()
