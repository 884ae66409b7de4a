import { describe, expect, test } from "vitest";
import { GENEROUS, growth } from "../fixtures/cost.ts";
import { decideCommand } from "./shell-world.ts";

/** The commonest set of rules: everything is allowed but a few commands. What slips past the deny rule runs. */
const RULES = { allow: ["Bash"], deny: ["Bash(rm:*)"] };

const DENIED = [
  "env - rm x",
  "env - A=1 rm x",
  "bash --rcfile f -c 'rm x'",
  "bash -s a b <<< 'rm x'",
  "bash /dev/stdin <<< 'rm x'",
  "bash /dev/fd/0 <<< 'rm x'",
  ". /dev/stdin <<< 'rm x'",
  "source /dev/stdin <<E\nrm x\nE",
  "source <(echo rm x)",
  "bash <(printf 'rm x')",
  "bash < <(echo rm x)",
  "printf '%s' 'rm x' | sh",
  "printf '%s %s\\n' rm x | sh",
  "printf '\\x72m x' | sh",
  "echo -e '\\x72m x' | sh",
  "echo -n 'rm x' | sh",
  "echo rm x | cat | sh",
  "echo rm x | tee f | sh",
  "echo rm x | sh > $(echo out)",
  "echo rm x | cat | at now",
  `${"echo a; ".repeat(15)}echo rm x | cat | sh`,
  "fish --command='rm x'",
  "pwsh -c 'rm x'",
  "ssh -o ProxyCommand='rm x' h",
  "ssh -oProxyCommand='rm x' h",
  "ssh -o 'ProxyCommand rm x' h",
  "git -c core.pager='rm x' log",
  "git -ccore.sshCommand='rm x' fetch",
  "git config core.editor 'rm x'",
  "git filter-branch --tree-filter 'rm x' HEAD",
  "git filter-branch --index-filter='rm x' HEAD",
  "make SHELL='rm x'",
  "make --eval='a:; rm x'",
  "make -f - <<< 'a:; rm x'",
  "npm exec -c 'rm x'",
  "docker run --entrypoint rm image x",
  "fd --exec=rm",
  "mapfile -C 'rm x' a",
  "compgen -C 'rm x'",
  "compgen -W '$(rm x)'",
  "complete -C 'rm x' a",
  "hash -p /bin/rm foo; foo x",
  "bind -x '\"a\": rm x'",
  "printf -v 'a[$(rm x)]' x",
  "test -v 'a[$(rm x)]'",
  "[[ -v 'a[$(rm x)]' ]]",
  "unset 'a[$(rm x)]'",
  "read 'a[`rm x`]'",
  "declare 'a[$(rm x)]=1'",
  "sed '1e rm x' f",
  "sed -n '/a/e rm x' f",
  "sed 's/.*/rm x/e' f",
  "awk 'BEGIN { \"rm x\" | getline }'",
  "awk '{ print | \"rm x\" }' f",
  "ex -c '!rm x' f",
  "vi '+!rm x' f",
  "nvim --cmd ':silent !rm x'",
  "gdb -ex 'shell rm x'",
  "gdb -ex '!rm x'",
  "sqlite3 db '.shell rm x'",
  "sqlite3 db <<< '.system rm x'",
  "psql -c '\\! rm x'",
  "mysql -e 'system rm x'",
  "expect -c 'spawn rm x'",
  "tclsh <<< 'exec rm x'",
  "lua -e 'os.execute(\"rm x\")'",
  "python3 <<< 'import os; os.system(\"rm x\")'",
  "emacs --batch --eval '(shell-command \"rm x\")'",
  "echo 'rm x' | xargs -0 bash -s <<< 'rm x'",
  "parallel {} x ::: rm",
  "run0 rm x",
  "capsh -- -c 'rm x'",
  "socat - EXEC:'rm x'",
  "make --eval='$(shell rm x)'",
  "python3.11 -c 'import os; os.system(\"rm x\")'",
  "GIT_SSH_COMMAND='rm x' git fetch",
  "PS4='$(rm x)' bash -x y",
  "psql db <<< '\\! rm x'",
  "no-such-program --command='rm x'",
  "no-such-program -v rm x",
  "\"$BASH\" -c 'rm x'",
];

describe("a denied command is denied", () => {
  test.each(DENIED)("%s", (command) => {
    expect(decideCommand(command, RULES).decision).toBe("deny");
    expect(decideCommand(command, { deny: RULES.deny }, "bypass").decision).toBe("deny");
  });

  test.each(["xargs -I% % x", "xargs -0I% % x", "xargs --replace=% % x", "xargs -i {} x"])(
    "or asked about where its name is put in later: %s",
    (command) => {
      expect(decideCommand(command, RULES).decision).toBe("ask");
    },
  );
});

test("texts beyond number that a shell may read are asked about, and cost little", () => {
  const command = (times: number) => `${"echo ls;".repeat(times)}${"echo ls | sh;".repeat(times)}`;
  expect(decideCommand(command(150), RULES).decision).toBe("ask");
  expect(growth(6, (size) => () => decideCommand(command(size), RULES))).toBeLessThan(GENEROUS);
});

test("one long text that reaches many shells is asked about, and looked into a few times only", () => {
  const command = `echo '${"ls;".repeat(1_000)}' | sh;${"true | sh;".repeat(300)}`;
  expect(decideCommand(command, RULES).decision).toBe("ask");
});

describe("scripts made to be hard to look through are looked through at once", () => {
  // Each of them took minutes where it was matched in every way that there is.
  test.each([
    ["escapes without an end", `sed 's/${"\\".repeat(3_000)}x' f`],
    ["escapes in a replacement", `sed 's/a/${"\\".repeat(3_000)}x' f`],
    ["blanks behind a call", `python3 -c 'run${" ".repeat(9_000)}x'`],
    ["blanks in a text that is read", `python3 <<'E'\nrun${" ".repeat(9_000)}x\nE`],
  ])("%s", (_, command) => {
    expect(decideCommand(command, RULES).decision).toBe("allow");
    expect(decideCommand(`${command}\nrm x`, RULES).decision).toBe("deny");
  });
});

describe("what only speaks of it is not", () => {
  test.each([
    "echo rm x",
    "echo 'rm x' | wc -l",
    "cat <<'E'\nrm x\nE",
    "printf '%s' 'rm x' | grep rm",
    "git commit -m 'rm x'",
    "git -c color.ui=never log",
    "git config user.name 'R M'",
    "grep -r 'rm x' .",
    "sed 's/rm x/y/' f",
    "sed -e 's/a/rm/g' -e '/e/d' f",
    "awk '/rm x/ { print }' f",
    "python3 -c 'print(\"rm x\")'",
    "ssh -o BatchMode=yes h ls",
    "make CFLAGS='-O2 -g' all",
    "sqlite3 db 'select rm from t'",
    "env - ls",
    "xargs -I% grep % notes.txt",
    "git ls-files | xargs grep -ir TODO",
    "git ls-files | xargs -n 1 ls -il",
    "ls | xargs -i echo {}",
    "bash build.sh rm x",
    "find . -name rm",
    "echo a; ".repeat(90),
    "vim notes.txt",
    "test -f 'rm x'",
  ])("%s", (command) => {
    expect(decideCommand(command, RULES).decision).toBe("allow");
  });
});
