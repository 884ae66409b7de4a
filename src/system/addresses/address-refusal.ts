export type AddressRefusalKind = "invalid-url" | "scheme" | "credentials" | "private" | "unknown-host" | "redirects";

/** Why no connection was made. The text never reveals the address of a name. */
export class AddressRefusal extends Error {
  override readonly name = "AddressRefusal";
  readonly kind: AddressRefusalKind;

  constructor(kind: AddressRefusalKind, text: string) {
    super(text);
    this.kind = kind;
  }
}
