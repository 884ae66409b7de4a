/** Where messages to a client go before and besides the answer to a request. */
export interface Outlet {
  /** False when it cannot be sent that way (any more). */
  send(text: string): boolean;
}
