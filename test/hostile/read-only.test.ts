import { describe, expect, test } from "vitest";
import { decideCommand, decideSubject } from "./shell-world.ts";

describe("what needs no question because it only reads stays in the workspace", () => {
  test.each([
    "sort --files0-from=/etc/passwd",
    "sort --files0-from=list.txt",
    "wc --files0-from=/etc/passwd",
    "date -f /etc/passwd",
    "date -f/etc/passwd",
    "date --file=/etc/passwd",
    "file -f /etc/passwd",
    "grep -f/etc/passwd a.txt",
    "diff --from-file=/etc/passwd a.txt",
    "diff --to-file=../other/a.txt a.txt",
    "git diff /etc/passwd a.txt",
    "git diff ../../x a.txt",
    "git diff src/../../x a.txt",
    "git diff ~/x a.txt",
    "jq -n 'import \"/etc/x\" as $x; $x'",
    "cat < /etc/passwd",
    "echo $(< /etc/passwd)",
    "cd /etc && cat passwd",
    "cat passwords",
    "cat src/../passwords",
    "sed -nf e.sed x",
    "sed --expr='1w y' x",
    "date --fil=/etc/passwd",
    "date 010100002030",
    "grep -of/etc/passwd a.txt",
    "tree -R -H x -L 1",
    "cat --no-such-option a.txt",
    "awk '{print > \"y\"}' x",
    "yarn --version",
    "python3 -m json.tool a.json",
  ])("%s", (command) => {
    expect(decideCommand(command, {}).decision).toBe("ask");
    expect(decideCommand(command, {}, "plan").decision).toBe("deny");
  });

  test.each([
    "date +%s",
    "date -r a.txt",
    "grep -fwords.txt a.txt",
    "grep --binary-files=text x a.txt",
    "cut -d/ -f1 a.txt",
    "sort -t/ a.txt",
    "git diff main..dev",
    "git diff HEAD~1 -- src/a.ts",
    "git log -- src",
    "jq '.important | .x' a.json",
    "awk -F: '$3 > 100 {print $1}' a.txt",
    "sed -E -n 's/(a|b)+/c/gp' a.txt",
    "git --no-pager log -5",
    "timeout 5 grep -rn x src",
    "node --version",
  ])("and so does %s", (command) => {
    expect(decideCommand(command, {})).toMatchObject({ decision: "allow", code: "permission.read-only" });
  });
});

describe("a file that is closed to reading stays closed", () => {
  const RULES = { allow: ["Bash"], deny: ["Read(.env)", "Read(./keys/**)", "Read(caf\u00e9.txt)"] };
  test.each([
    "mv .env x; cat x",
    "xargs -a .env echo",
    "look '' .env",
    "docker run --env-file .env image",
    "docker run --env-file=.env image",
    "xmllint keys/a.xml",
    "date -f .env",
    "cat .ENV",
    "cat KEYS/a",
    "cat cafe\u0301.txt",
    "cat keys/../.env",
    "cat ./keys//a",
    "cat keys/",
    "git diff --no-index .env rm",
    "git grep x -- .env mv",
    "git show HEAD:.env checkout",
  ])("%s", (command) => {
    expect(decideCommand(command, RULES).decision).toBe("deny");
  });

  test.each([".ENV", "KEYS/a", "cafe\u0301.txt", "keys/../.env", ".env/", "./x/../.env"])(
    "to tools that read %s",
    (path) => {
      expect(decideSubject({ kind: "read", paths: [path] }, RULES).decision).toBe("deny");
    },
  );

  test.each(["echo .env", "test -f .env", "cd keys", "docker run image", "npm run env"])("not to %s", (command) => {
    expect(decideCommand(command, RULES).decision).toBe("allow");
  });
});

describe("a pattern that the shell expands is no way to a file that a rule is about", () => {
  const RULES = { deny: ["Read(secret.txt)", "Read(./kept)", "Write(./kept/**)", "Read(**/*.pem)", "Read(.env)"] };
  test.each([
    "cat *ecret.txt",
    "cat *.txt",
    "cat *",
    "head ?ecret.txt",
    "cat k*/b.txt",
    "cat */b.txt",
    "cat ~/*.pem",
    "cat x/*.p?m",
    "grep -h . *",
    "rm k*/b",
    "cp a k?pt/x",
    "mv a k*",
    "echo x > k?pt/x",
    "cat .e*v",
    "cat KEP*/b.txt",
    "shopt -s dotglob; cat x*",
    "bash -O dotglob -c 'cat x*'",
    "GLOBIGNORE=x; cat x*",
  ])("%s", (command) => {
    for (const mode of ["default", "bypass"] as const)
      expect(decideCommand(command, { ...RULES, allow: ["Bash"] }, mode).decision).not.toBe("allow");
    const asking = { ask: RULES.deny, allow: ["Bash"] };
    expect(decideCommand(command, asking, "bypass").decision).toBe("ask");
  });

  test.each(["cat src/*.ts", "cat *.ts", "rm dist/*.js", "ls *", "cp src/*.ts out/", "cat x/k*.md"])(
    "and %s is still one to others",
    (command) => {
      const rules = { deny: ["Read(.env)", "Write(./kept/**)"], allow: ["Bash"] };
      expect(decideCommand(command, rules).decision).toBe("allow");
    },
  );
});

describe("accepting edits accepts none of what later runs trust, however the place is written", () => {
  test.each([
    "cp --target=.git/hooks payload",
    "cp -t.git/hooks payload",
    "cp -rt.git/hooks payload",
    "cp --t .git/hooks payload",
    "mv --target-dir=.git/hooks payload",
    "mv -ft .git/hooks payload",
    "cp payload/.m?p.json .",
    "cp -r payload/. .",
    "cp -r payload/./ sub",
    "cp -rT payload .",
    "cp -r --no-target-directory payload .",
    "cp payload .GIT/hooks/x",
    "cp {payload,.git/hooks/x}",
  ])("%s", (command) => {
    expect(decideCommand(command, {}, "accept-edits").decision).toBe("ask");
  });

  test.each(["cp -r src copy", "cp -t out a b", "cp --target-directory=out a", "mv a.ts b.ts", "cp src/*.ts out/"])(
    "and all of %s",
    (command) => {
      expect(decideCommand(command, {}, "accept-edits").decision).toBe("allow");
    },
  );
});

describe("a file that is closed to writing stays closed", () => {
  const RULES = { allow: ["Bash"], deny: ["Write(./kept/**)"] };
  test.each([
    "curl -okept/x u",
    "curl -sokept/x u",
    "curl --output=kept/x u",
    "curl --outp kept/x u",
    "wget -Okept/x u",
    "sort -okept/x a",
    "sort --output=kept/x a",
    "cp -tkept a",
    "tar xf a -Ckept",
    "unzip a -d kept",
    "split a kept/x",
    "gzip kept/x",
    "vim kept/x",
    "git checkout -- kept/x",
    "git restore kept/x",
    "git mv a kept/x",
    "tool -o kept/x",
    "tool --output=kept/x",
    "tool --out-file kept/x",
    "echo x > KEPT/x",
  ])("%s", (command) => {
    expect(decideCommand(command, RULES).decision).toBe("deny");
  });

  test.each(["curl -Hkept u", "cat kept/x", "grep -o kept/x a", "tool kept/x", "git log kept/x", "sort -to kept/x"])(
    "not to %s",
    (command) => {
      expect(decideCommand(command, RULES).decision).toBe("allow");
    },
  );
});

test("a rule about a parameter reaches it inside of others and in lists", () => {
  const named = (args: object) =>
    decideSubject({ kind: "other" }, { deny: ["t(repo:secret*)"] }, "bypass", args).decision;
  expect(named({ repo: "secret-x" })).toBe("deny");
  expect(named({ repo: ["open", "secret-x"] })).toBe("deny");
  expect(named({ where: { repo: "secret-x" } })).toBe("deny");
  expect(named({ all: [{ repo: ["secret-x"] }] })).toBe("deny");
  expect(named({ other: "secret-x", repo: "open" })).toBe("allow");
});

test("a rule that leaves capitals out means what lies in a folder without them", () => {
  const rules = { allow: ["Read"], deny: ["Read(./[!A-Z]*)"] };
  expect(decideSubject({ kind: "read", paths: ["notes/x"] }, rules).decision).toBe("deny");
  expect(decideSubject({ kind: "read", paths: ["Notes/x"] }, rules).decision).toBe("allow");
});

test("case does not hide a program from a deny rule, and does not bring one under an allow rule", () => {
  expect(decideCommand("RM x", { allow: ["Bash"], deny: ["Bash(rm:*)"] }).decision).toBe("deny");
  expect(decideCommand("/bin/Rm x", { allow: ["Bash"], deny: ["Bash(/bin/rm:*)"] }).decision).toBe("deny");
  expect(decideCommand("MAKE x", { allow: ["Bash(make:*)"] }).decision).toBe("ask");
  expect(decideSubject({ kind: "read", paths: ["/etc/X"] }, { allow: ["Read(//etc/x)"] }).decision).toBe("ask");
});
