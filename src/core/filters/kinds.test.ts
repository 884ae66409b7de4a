import { describe, expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { FINDERS } from "../../runtime/filters/finders.ts";
import type { FilterKind } from "./kinds.ts";

/** What a kind finds in a text. */
function find(kind: FilterKind, text: string, about = ""): readonly string[] {
  return FINDERS[kind].find(text, about).map(({ from, to }) => text.slice(from, to));
}

describe("mail addresses", () => {
  test.each([
    ["write to alice@example.com, please", ["alice@example.com"]],
    ["<a.b+c@mail.example.co.uk>; 'd@example.org'.", ["a.b+c@mail.example.co.uk", "d@example.org"]],
    ["mailto:anna@xn--bcher-kva.example?cc=ben@example.com", ["anna@xn--bcher-kva.example", "ben@example.com"]],
    ["jörg@müller.example", ["jörg@müller.example"]],
    [`${"a".repeat(300)}@example.com`, [`${"a".repeat(64)}@example.com`]],
    ["git clone ssh://git@example.com/x https://user:pass@example.com/", []],
    ["@alice said: npm i @scope/name@1.2.3, a@b, 5@10.0.0.1", []],
    ["xxx.xxx@xxxxxx.xxx", []],
  ])("%s", (text, found) => expect(find("email", text)).toEqual(found));
});

describe("telephone numbers", () => {
  test.each([
    ["call +49 30 901820 or 0049 (0)30/901820", ["+49 30 901820", "0049 (0)30/901820"]],
    ["tel:+1-202-555-0143;ext=2", ["+1-202-555-0143"]],
    ["(212) 555-0123 and 212-555-0123, 1 212.555.0123", ["(212) 555-0123", "212-555-0123", "1 212.555.0123"]],
    ["v1.2.3+20240102030405 at 2024-01-02T10:00:00+01:00, 192.168.100.200, +0000000000", []],
    ["order 2125550123, 4000-1234-56", []],
  ])("%s", (text, found) => expect(find("phone", text)).toEqual(found));

  test("written in the way of one country, only the name of the field tells", () => {
    expect(find("phone", "030 901820", "phoneNumber")).toEqual(["030 901820"]);
    expect(find("phone", "030 901820", "order")).toEqual([]);
    expect(find("phone", "ask for Ben", "phone")).toEqual([]);
  });
});

describe("cards", () => {
  test.each([
    ["4111111111111111", ["4111111111111111"]],
    ["card 4242 4242 4242 4242 (or 5555-5555-5555-4444)", ["4242 4242 4242 4242", "5555-5555-5555-4444"]],
    ["378282246310005 30569309025904 6011111111111117 3530111333300000 6205500000000000004", 5],
    ["4222222222222", ["4222222222222"]],
    ["4111111111111112 1234567812345670 1700000000000 0000000000000000", []],
    ["id 94111111111111111, 4111111111111111.5, x4111111111111111", []],
  ])("%s", (text, found) => {
    const all = find("card", text);
    expect(typeof found === "number" ? all.length : all).toEqual(found);
  });
});

describe("account numbers", () => {
  test.each([
    [
      "DE89 3704 0044 0532 0130 00 and GB29NWBK60161331926819.",
      ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"],
    ],
    ["iban=fr1420041010050500013m02606", ["fr1420041010050500013m02606"]],
    ["NO93 8601 1117 947, MT84MALT011000012345MTLCAST001S", ["NO93 8601 1117 947", "MT84MALT011000012345MTLCAST001S"]],
    ["DE89 3704 0044 0532 0130 01, AB12 3456, ZZ68 5390 0754 7034, DE89370400440532013000X", []],
  ])("%s", (text, found) => expect(find("iban", text)).toEqual(found));
});

describe("numbers of people", () => {
  test.each([
    ["United States", "123-45-6789", "000-12-3456"],
    ["France", "2 55 08 14 168 025 38", "2 55 08 14 168 025 39"],
    ["Italy", "RSSMRA85T10A562S", "RSSMRA85T10A562T"],
    ["Spain", "12345678Z", "12345678A"],
    ["Spain, of foreigners", "X1234567L", "X1234567T"],
    ["United Kingdom", "AB 12 34 56 C", "BG 12 34 56 C"],
    ["Switzerland", "756.9217.0769.85", "756.9217.0769.84"],
    ["Belgium", "85.07.30-033.28", "85.07.30-033.29"],
    ["Sweden", "811228-9874", "811228-9875"],
    ["Finland", "131052-308T", "131052-308U"],
    ["Norway", "01010750160", "01010750161"],
    ["Brazil", "123.456.789-09", "123.456.789-08"],
    ["China", "11010519491231002X", "110105194912310021"],
    ["Czechia", "736028/5163", "736028/5164"],
    ["Korea", "880101-1234568", "880101-1234567"],
    ["India", "2363 6363 6364", "2363 6363 6365"],
  ])("of %s: %s, but not %s", (_, good, bad) => {
    expect(find("national-id", `it is ${good}, they say`)).toEqual([good]);
    expect(find("national-id", `it is ${bad}, they say`)).toEqual([]);
  });

  test.each([
    ["BSN", "111222333", "111222334"],
    ["Steuer-ID", "86095742719", "86095742718"],
    ["PESEL", "44051401359", "44051401358"],
    ["NHS number", "943 476 5919", "943 476 5918"],
    ["SIN", "046 454 286", "046 454 287"],
    ["TFN", "123 456 782", "123 456 783"],
    ["NIF", "123456789", "123456788"],
    ["SVNR", "1237 010180", "1238 010180"],
    ["TC kimlik no", "10000000146", "10000000147"],
    ["RSA id", "8001015009087", "8001015009088"],
    ["CPF", "12345678909", "12345678908"],
  ])("%s: digits alone count behind the word for them, or in a field of that name", (word, good, bad) => {
    expect(find("national-id", `${word}: ${good}`)).toEqual([good]);
    expect(find("national-id", good, word)).toEqual([good]);
    expect(find("national-id", `${word}: ${bad}`)).toEqual([]);
    expect(find("national-id", `order ${good}`)).toEqual([]);
  });

  test("times, versions, addresses and hashes are none", () => {
    const text = `2024-01-02T10:11:12.123Z 1700000000000 10.0.0.1 v1.2.3 1234567890 9f86d081884c7d659a2feaa0c55ad015
      commit 3e445fa2, 555000123 bytes, 2024-11-19, 12:34:56, 1.000.000,00 EUR, 00000000000`;
    expect(find("national-id", text)).toEqual([]);
    expect(find("card", text)).toEqual([]);
    expect(find("phone", text)).toEqual([]);
  });
});

test("private keys are found alone, and among secrets", () => {
  const key = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----";
  const text = `${key}\nAKIAIOSFODNN7EXAMPLE`;
  expect(find("private-key", text)).toEqual([key]);
  expect(find("secret", text)).toEqual([key, "AKIAIOSFODNN7EXAMPLE"]);
});

test.each(Object.keys(FINDERS) as FilterKind[])("%s is found in time that grows with the text alone", (kind) => {
  for (const piece of [
    "a@",
    "a.",
    "1 ",
    "12345678",
    "+49 ",
    "DE89 ",
    "123-45-",
    "x@a.",
    "-----BEGIN PRIVATE KEY-----",
  ]) {
    const ratio = growth(2_000, (length) => () => FINDERS[kind].find(piece.repeat(length / 4), "phone"));
    expect({ kind, piece, isLinear: ratio < GENEROUS }).toEqual({ kind, piece, isLinear: true });
  }
});
