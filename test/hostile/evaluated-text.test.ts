import { describe, expect, test } from "vitest";
import { decideCommand } from "./shell-world.ts";

/** Whatever arithmetic and subscripts look at is evaluated again, so that text in a variable runs. */
const HIDING = [
  "echo 'a[$(rm x)]'; echo $((_))",
  "echo 'a[$(rm x)]'; echo $(( $_ ))",
  "echo 'a[$(rm x)]'; head -n $((_+1)) a.txt",
  "echo 'a[$(rm x)]'; echo ${PWD:_}",
  "echo 'a[$(rm x)]'; echo ${PWD:0:_}",
  "echo 'a[$(rm x)]'; echo ${!_}",
  "echo 'a[$(rm x)]'; echo ${BASH_VERSINFO[_]}",
  "echo 'a[$(rm x)]'; [[ $_ -eq 1 ]]",
  "echo 'a[$(rm x)]'; [[ 1 -lt _ ]]",
  "echo 'a[$(rm x)]'; [[ -v $_ ]]",
  "echo 'a[$(rm x)]'; test -v $_",
  "echo 'a[$(rm x)]'; ((_))",
  "echo 'a[`rm x`]'; ((_))",
  "echo $'a[\\x24(rm x)]'; ((_))",
  "echo 'a[$(rm x)]'; echo $[_]",
  "echo '-v a[$(rm<x)]'; [ $_ ]",
  'echo -v \'a[$(rm x)]\'; test "$a" "$_"',
  "for i in 'a[$(rm x)]'; do echo $((i)); done",
  "for i in 1 2; do i='a[$(rm x)]'; echo $((i)); done",
  "for i in 1 2; do :; done; read i <<< 'a[$(rm x)]'; echo $((i))",
  "for i in 1 2; do read i <<< 'a[$(rm x)]'; echo $((i)); done",
  "for i in 1 'a[$(rm x)]'; do echo $((i)); done",
  "for x in '$(rm x)'; do echo ${x@P}; done",
  "cat <<< 'a[$(rm x)]'; echo $((_))",
  "cat <<'E'\na[$(rm x)]\nE\necho $((_))",
  "case 'a[$(rm x)]' in *) echo $((_));; esac",
  "x='a[$(rm x)]' bash -c 'echo $((x))'",
  "[[ 'a[$(rm x)]' -eq 1 ]]",
  "[[ -v 'a[$(rm x)]' ]]",
  "test -v 'a[$(rm x)]'",
  "[ -v 'a[$(rm x)]' ]",
  "command test -v 'a[$(rm x)]'",
  "printf -v 'a[$(rm x)]' x",
  "printf '-va[$(rm x)]' x",
  "echo '-va[$(rm x)]'; printf $_ x",
  "RANDOM='a[$(rm x)]' true",
  "let 'a[$(rm x)]'",
  "declare -i x='a[$(rm x)]'",
  "typeset -i x='a[$(rm x)]'",
  "f() { local -i x='a[$(rm x)]'; }; f",
  "read 'a[$(rm x)]' <<< 1",
  "unset 'a[$(rm x)]'",
  "export 'a[$(rm x)]=1'",
  "declare -n x='a[$(rm x)]'; echo $x",
  "a['$(rm x)']=1",
];

describe("text that bash evaluates", () => {
  test.each(HIDING)("is judged by a deny rule wherever it stands: %s", (command) => {
    for (const allow of [[], ["Bash"]])
      expect(decideCommand(command, { deny: ["Bash(rm:*)"], allow }).decision).toBe("deny");
  });

  test.each(HIDING)("is nothing that only reads: %s", (command) => {
    expect(decideCommand(command, {}).decision).toBe("ask");
    expect(decideCommand(command, {}, "plan").decision).toBe("deny");
  });

  test.each([
    "echo $((i+1))",
    "((_))",
    "echo $(( $(cat a.txt) ))",
    "(( $(cat a.txt) ))",
    "echo ${PWD:$(cat a.txt)}",
    "echo $((1 + ${x}))",
    "[[ $x -eq 1 ]]",
    '[[ "$x" -gt 1 ]]',
    "[[ -v $x ]]",
    "[ $x = y ]",
    "[ -f ?.ts ]",
    "echo ${x[i]}",
    "echo ${x[$i]}",
    "if true; then for i in 1; do :; done; fi; echo $((i))",
    "(i=1); echo $((i))",
    "for i in 1 2; do eval i=x; echo $((i)); done",
  ])("asks where only the shell knows it: %s", (command) => {
    expect(decideCommand(command, {}).decision).toBe("ask");
    expect(
      decideCommand(command, { allow: ["Bash(echo:*)", "Bash([[:*)", "Bash([:*)", "Bash(eval:*)"] }).decision,
    ).toBe("ask");
    expect(decideCommand(command, { allow: [`Bash(${command})`] }).decision).toBe("allow");
  });

  test.each([
    "echo $((1+1))",
    "echo $(( (2 * 3) << 0x1F ))",
    "echo $((16#ff))",
    "head -n $((10 + 5)) a.txt",
    "echo $(($# + $?))",
    "echo ${PWD:1:2}",
    "echo ${PWD: -1}",
    "echo ${x:-1} ${x[@]} ${x[0]} ${#x}",
    "[[ $? -eq 0 ]] && echo yes",
    "[[ $# -lt 2 ]]",
    '[[ -n "$CI" ]] && echo ci',
    "[ $? -eq 0 ] && echo yes",
    '[ "$x" = y ] && echo yes',
    '[ -n "$x" ] || echo no',
    "printf '%s\\n' \"$x\"",
    "echo '$(x)' '[0]'",
    "for i in 1 2 3; do echo $((i * 2)); done",
    "for i in {1..5}; do echo $((i - 1)) $(( $i + 1 )) ${PWD:i}; done",
    "for i in 1 2; do for j in 3 4; do echo $((i * j)); done; done",
    "for i in 1 2; do [ $i -gt 1 ] && echo $i; done",
    "for i in 1 2; do [[ $i -gt 1 ]] && echo $i; done",
  ])("asks about no number: %s", (command) => {
    expect(
      decideCommand(command, { allow: "[[ [ echo head printf".split(" ").map((name) => `Bash(${name}:*)`) }).decision,
    ).toBe("allow");
  });
});

describe("what may be evaluated could run anything", () => {
  const LINES = ["echo $((i+1))", "echo ${!x}", "echo ${x@P}", "[ $x = y ]"];
  test.each(LINES)("so it is denied beside a deny rule about commands where nobody is asked: %s", (command) => {
    const rules = { deny: ["Bash(rm:*)"], allow: ["Bash"] };
    for (const mode of ["bypass", "dont-ask"] as const)
      expect(decideCommand(command, rules, mode).decision).toBe("deny");
    expect(decideCommand(command, rules, "accept-edits").decision).toBe("ask");
  });

  test.each(LINES)("and bypass mode asks nothing where no rule names commands: %s", (command) => {
    expect(decideCommand(command, { deny: ["Read(.env)"] }, "bypass").decision).toBe("allow");
  });
});
