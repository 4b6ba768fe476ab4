import { BlockList, isIP } from "node:net";

/** `::ffff:10.0.0.1` is 10.0.0.1. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

/** `10.0.0.1`, `10.0.0.0/8`, `2001:db8::/32` */
export function isNetwork(entry: string): boolean {
  const [address = "", bits, ...rest] = entry.split("/");
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return rest.length === 0 && most !== undefined && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}

/**
 * Whether a network is too wide to be trusted. IPv4: wider than 10.0.0.0/8, the widest private network, also when written as IPv6. IPv6: private
 * networks may be as wide as fc00::/7, others as wide as one provider's /32.
 */
export function isTooWide(entry: string): boolean {
  const [address = "", bits] = entry.split("/");
  if (bits === undefined) return false;
  const network = new BlockList();
  network.addSubnet(address, Number(bits), family(address));
  if (isIP(address) === 4) return Number(bits) < 8;
  const holdsIpv4 = ["1.1.1.1", "10.1.1.1", "203.0.113.1"].some(one => network.check(`::ffff:${one}`, "ipv6"));
  if (holdsIpv4) return Number(bits) < 104;
  return Number(bits) < (network.check("fc00::1", "ipv6") || network.check("fd00::1", "ipv6") ? 7 : 32);
}

/**
 * The client address is the TCP peer. If that is a trusted proxy, it is the last forwarded address that is not trusted. Addresses that a client
 * writes into X-Forwarded-For stand to the left of those that our proxies add, and are never reached.
 */
export function clientAddress(trustedProxies: string | undefined) {
  const trusted = new BlockList();
  const entries = (trustedProxies?.split(",") ?? []).map(entry => entry.trim());
  for (const entry of entries.filter(isNetwork)) {
    const [address = "", bits] = entry.split("/");
    if (bits === undefined) trusted.addAddress(address, family(address));
    else trusted.addSubnet(address, Number(bits), family(address));
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, family(address));

  return (peer: string | undefined, forwardedFor: string | null): string => {
    const hops = [...(forwardedFor ?? "").split(",").map(hop => plain(hop.trim())), plain(peer ?? "")];
    let nearest = hops.pop()!;
    while (isTrusted(nearest)) {
      const next = hops.pop();
      if (next === undefined || isIP(next) === 0) break;
      nearest = next;
    }
    return networkOf(nearest);
  };
}

/** An IPv6 client usually has a whole /64, so that is one client. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address || "unknown";
  const [head = "", tail = ""] = address.split("::");
  const before = head.split(":").filter(Boolean);
  const after = tail.split(":").filter(Boolean);
  const groups = address.includes("::") ? [...before, ...Array(8 - before.length - after.length).fill("0"), ...after] : before;
  return `${groups.slice(0, 4).join(":")}::/64`;
}
