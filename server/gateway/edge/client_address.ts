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
 * A network so wide that it holds strangers: of IPv4 wider than 10.0.0.0/8, the widest private one, also where it is written as IPv6. Of IPv6 the private
 * ones may be as wide as fc00::/7, others as wide as what one provider has.
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
 * Who really asks: the nearest address that is not a proxy of ours. What a client writes into X-Forwarded-For stands to the left of
 * what our proxies add, and is never reached.
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

/** Who has one address of IPv6 has 2⁶⁴ of them. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address || "unknown";
  const [head = "", tail = ""] = address.split("::");
  const before = head.split(":").filter(Boolean);
  const after = tail.split(":").filter(Boolean);
  const groups = address.includes("::") ? [...before, ...Array(8 - before.length - after.length).fill("0"), ...after] : before;
  return `${groups.slice(0, 4).join(":")}::/64`;
}
