import { expect, test } from "bun:test";
import { clientAddress, isNetwork } from "./client_address.ts";

test.each([
  ["nobody is trusted: the peer, whatever it claims", undefined, "203.0.113.7", "10.0.0.1", "203.0.113.7"],
  ["an IPv4 peer on an IPv6 socket", undefined, "::ffff:203.0.113.7", null, "203.0.113.7"],
  ["a trusted proxy tells the client", "10.0.0.0/8", "10.1.2.3", "203.0.113.7", "203.0.113.7"],
  ["what the client wrote itself is not reached", "10.0.0.0/8", "10.1.2.3", "1.1.1.1, 203.0.113.7", "203.0.113.7"],
  ["two proxies in a row", "10.0.0.0/8, 192.0.2.1", "10.1.2.3", "203.0.113.7, 192.0.2.1", "203.0.113.7"],
  ["a trusted proxy that tells nothing", "10.0.0.0/8", "10.1.2.3", null, "10.1.2.3"],
  ["a trusted proxy that tells nonsense", "10.0.0.0/8", "10.1.2.3", "<script>", "10.1.2.3"],
  ["a peer that only claims to be one", "10.0.0.0/8", "203.0.113.7", "10.0.0.1", "203.0.113.7"],
  ["a network of IPv6 is one client", undefined, "2001:db8:1:2:3:4:5:6", null, "2001:db8:1:2::/64"],
  ["also when it is written shortly", undefined, "2001:db8::6", null, "2001:db8:0:0::/64"],
  ["no peer at all", undefined, undefined, null, "unknown"],
])("%s", (_, trusted, peer, forwarded, client) => {
  expect(clientAddress(trusted)(peer, forwarded)).toBe(client);
});

test("a network is an address with or without its bits", () => {
  for (const entry of ["10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32"]) expect([entry, isNetwork(entry)]).toEqual([entry, true]);
  for (const entry of ["", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::1/129", "10.0.0"])
    expect([entry, isNetwork(entry)]).toEqual([entry, false]);
});
