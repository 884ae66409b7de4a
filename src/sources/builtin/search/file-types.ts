import { type PathMatcher, toPathMatcher } from "./glob-pattern.ts";

/** Types of files by name pattern, with ripgrep's names. */
const TYPES = {
  c: "*.{c,h}",
  cpp: "*.{cpp,cc,cxx,hpp,hh,hxx,h,inl}",
  cs: "*.cs",
  css: "*.{css,scss}",
  dart: "*.dart",
  docker: "*{Dockerfile,.dockerfile}*",
  elixir: "*.{ex,exs,eex,heex}",
  go: "*.go",
  graphql: "*.{graphql,graphqls}",
  haskell: "*.{hs,lhs}",
  html: "*.{htm,html,ejs}",
  java: "*.java",
  js: "*.{js,jsx,vue,cjs,mjs}",
  json: "*.json",
  kotlin: "*.{kt,kts}",
  lua: "*.lua",
  make: "{Makefile,makefile,GNUmakefile,*.mk}",
  md: "*.{md,markdown,mdx}",
  php: "*.php",
  proto: "*.proto",
  py: "*.{py,pyi}",
  r: "*.{R,r,Rmd}",
  ruby: "{*.rb,*.gemspec,Gemfile,Rakefile}",
  rust: "*.rs",
  scala: "*.{scala,sbt}",
  sh: "*.{sh,bash,zsh,ksh}",
  sql: "*.{sql,psql}",
  svelte: "*.svelte",
  swift: "*.swift",
  toml: "*.toml",
  ts: "*.{ts,tsx,cts,mts}",
  txt: "*.txt",
  vue: "*.vue",
  xml: "*.{xml,xsd,xslt}",
  yaml: "*.{yaml,yml}",
  zig: "*.zig",
} as const satisfies Record<string, string>;

const OTHER_NAMES: ReadonlyMap<string, keyof typeof TYPES> = new Map([
  ["typescript", "ts"],
  ["javascript", "js"],
  ["python", "py"],
  ["markdown", "md"],
  ["rs", "rust"],
  ["rb", "ruby"],
  ["bash", "sh"],
  ["csharp", "cs"],
  ["yml", "yaml"],
] as const);

const KNOWN: ReadonlyMap<string, string> = new Map(Object.entries(TYPES));
export const TYPE_NAMES: readonly string[] = [...KNOWN.keys()];

/** A matcher for the files of a type; null if the type is unknown. */
export function toTypeMatcher(type: string): PathMatcher | null {
  const glob = KNOWN.get(OTHER_NAMES.get(type) ?? type);
  return glob === undefined ? null : toPathMatcher(glob);
}
