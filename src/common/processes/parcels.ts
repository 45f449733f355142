import type { Letter, Parcel } from './letters.js';

/** A parcel of this many characters does not wait for the end of the turn. */
const LARGE = 1024 * 1024;

type Sent = (error: Error | null) => void;

interface Open {
  letters: string[];
  length: number;
  sent: Sent[];
}

/**
 * Puts the letters of one turn of the event loop to the same process into one parcel: a message between processes costs more
 * than its bytes.
 */
export class Parcels {
  private readonly open = new Map<number, Open>();

  constructor(
    private readonly from: number,
    private readonly hand: (parcel: Parcel, sent: Sent) => void,
  ) {}

  /** Resolves once the letter is on its way. */
  post(to: number, letter: Letter): Promise<void> {
    const text = JSON.stringify(letter);
    const parcel = this.parcelTo(to);
    return new Promise((resolve, reject) => {
      parcel.letters.push(text);
      parcel.length += text.length;
      parcel.sent.push((error) => (error ? reject(error) : resolve()));
      if (parcel.length >= LARGE) this.close(to);
    });
  }

  private parcelTo(to: number): Open {
    let parcel = this.open.get(to);
    if (!parcel) {
      if (this.open.size === 0) setImmediate(() => this.closeAll());
      this.open.set(to, (parcel = { letters: [], length: 0, sent: [] }));
    }
    return parcel;
  }

  private closeAll(): void {
    for (const to of this.open.keys()) this.close(to);
  }

  private close(to: number): void {
    const { letters, sent } = this.open.get(to)!;
    this.open.delete(to);
    this.hand({ kind: 'parcel', from: this.from, to, letters: `[${letters.join()}]` }, (error) => {
      for (const tell of sent) tell(error);
    });
  }
}
