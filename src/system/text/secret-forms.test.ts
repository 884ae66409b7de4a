import { expect, test } from "vitest";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { holdsSecret, replaceSecrets } from "./secret-forms.ts";

test.each(["sk-", "Bearer "])("millions of characters after %s break nothing", (beginning) => {
  const text = `${beginning}${"a-".repeat(3_000_000)}`;
  expect(holdsSecret(text)).toBe(true);
  expect(replaceSecrets(text, "***")).toContain("***");
});

test.each(["eyJ-", "eyJ", "SG.", "://a:", "?a=", "-----BEGIN "])(
  "%s over and over is looked at in time that grows with its length",
  (piece) => {
    const prepare = (size: number) => {
      const text = piece.repeat(size);
      return () => replaceSecrets(text, "***");
    };
    expect(growth(20_000, prepare)).toBeLessThan(GENEROUS);
  },
);

test.each(["", " ", "=", "jwt-", "my-jwt: ", '"'])("a signed token is found after %j", (before) => {
  const token = `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c-d".repeat(20)}`;
  expect(replaceSecrets(`${before}${token} end`, "***")).toBe(`${before}*** end`);
});
