export type AddressRefusalKind = "invalid-url" | "scheme" | "credentials" | "private" | "unknown-host" | "redirects";

/** Why no connection was made. The text never says which address a name stands for. */
export class AddressRefusal extends Error {
  override readonly name = "AddressRefusal";
  readonly kind: AddressRefusalKind;

  constructor(kind: AddressRefusalKind, text: string) {
    super(text);
    this.kind = kind;
  }
}
