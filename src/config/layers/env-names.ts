/**
 * Which variables of an `envFile` a server gets in addition to those its entry lists. The file is in the workspace,
 * where a clone or a command may have written it, and which of thousands of names make some program load code or trust
 * another host is unknown. So a name is accepted for what it is known to be, never because nothing is known against it.
 */
export function isPlainVariable(name: string): boolean {
  return CREDENTIAL.test(name) || HARMLESS.has(name) || LOCALE.test(name);
}

/** By custom, a name of this form identifies a caller, and no program loads code from it. */
const CREDENTIAL = /^(?:\w+_)?(?:KEY|APIKEY|KEY_ID|TOKEN|SECRET|PASSWORD|PAT)$/i;

/** Verbosity, time zone, colours, port, and which of the project's own settings apply. */
const HARMLESS: ReadonlySet<string> = new Set(
  `NODE_ENV APP_ENV RAILS_ENV RACK_ENV CI DEBUG VERBOSE LOG_LEVEL LOGLEVEL LOG_FORMAT RUST_LOG RUST_BACKTRACE PYTHONUNBUFFERED
  NO_COLOR FORCE_COLOR TZ LANG PORT AWS_REGION AWS_DEFAULT_REGION`.split(/\s+/),
);

const LOCALE = /^LC_[A-Z]+$/;

/** Anything else is no variable to a shell, or is a function to some of them. */
export function isVariable(name: string, value: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !value.startsWith("()");
}
