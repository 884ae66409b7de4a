import fc from "fast-check";
import { expect, test } from "vitest";
import { isPublicAddress } from "./is-public-address.ts";

test.each([
  "0.0.0.0",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "0:0:0:0:0:ffff:0a00:0001",
  "64:ff9b::10.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:10::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "3fff::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "4000::1",
  "",
  "localhost",
  "127.1",
  "0x7f000001",
  "1.2.3.4.5",
])("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "2a00:1450:4001:831::200e",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("law: an IPv4 address inside IPv6 is judged like itself", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      expect(isPublicAddress(`64:ff9b::${address}`)).toBe(isPublicAddress(address));
    }),
  );
});

test("law: no IPv6 address outside 2000::/3 is public, unless an IPv4 address is in it", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      if (!isPublicAddress(address)) return;
      expect(address).toMatch(/^[23][0-9a-f]{3}:|^(?:0*:)*:?(?:0*:)*ffff:|^0*64:ff9b:/i);
    }),
    { numRuns: 1000 },
  );
});
