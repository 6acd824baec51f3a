// Unpacking zlib data: by the browser, or by the decoder below where a browser has none (RFC 1950 and 1951).

const LENGTH_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385,
  24577,
];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const LONGEST_CODE = 15;

export function fromBase64(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export async function unpacked(packed: Uint8Array): Promise<Uint8Array> {
  if (typeof DecompressionStream === "undefined") return inflate(packed);
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Canonical Huffman code: how many codes have each length, and the symbols in the order of their codes. */
interface Code {
  counts: Uint16Array;
  symbols: Uint16Array;
}

function codeOf(lengths: ArrayLike<number>): Code {
  const counts = new Uint16Array(LONGEST_CODE + 1);
  for (let i = 0; i < lengths.length; i++) counts[lengths[i]]++;
  counts[0] = 0;
  const places = new Uint16Array(LONGEST_CODE + 2);
  for (let n = 1; n <= LONGEST_CODE; n++) places[n + 1] = places[n] + counts[n];
  const symbols = new Uint16Array(lengths.length);
  for (let i = 0; i < lengths.length; i++) if (lengths[i]) symbols[places[lengths[i]]++] = i;
  return { counts, symbols };
}

class Bits {
  private place = 2; // behind the two bytes of the zlib header
  private held = 0;
  private count = 0;

  constructor(private readonly bytes: Uint8Array) {}

  take(wanted: number): number {
    while (this.count < wanted) {
      if (this.place >= this.bytes.length) throw new Error("the motion in this page is cut off");
      this.held |= this.bytes[this.place++] << this.count;
      this.count += 8;
    }
    const value = this.held & ((1 << wanted) - 1);
    this.held >>>= wanted;
    this.count -= wanted;
    return value;
  }

  symbol(code: Code): number {
    let bits = 0, first = 0, index = 0;
    for (let n = 1; n <= LONGEST_CODE; n++) {
      bits |= this.take(1);
      const count = code.counts[n];
      if (bits - count < first) return code.symbols[index + bits - first];
      index += count;
      first = (first + count) << 1;
      bits <<= 1;
    }
    throw new Error("the motion in this page is damaged");
  }

  stored(): Uint8Array {
    this.held = this.count = 0;
    const length = this.bytes[this.place] | (this.bytes[this.place + 1] << 8);
    this.place += 4;
    this.place += length;
    return this.bytes.subarray(this.place - length, this.place);
  }
}

class Output {
  private bytes = new Uint8Array(1 << 16);
  length = 0;

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + more));
    larger.set(this.bytes);
    this.bytes = larger;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  copy(source: Uint8Array): void {
    this.reserve(source.length);
    this.bytes.set(source, this.length);
    this.length += source.length;
  }

  repeat(distance: number, length: number): void {
    this.reserve(length);
    for (let i = 0; i < length; i++, this.length++) this.bytes[this.length] = this.bytes[this.length - distance];
  }

  finished(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

export function inflate(packed: Uint8Array): Uint8Array {
  const bits = new Bits(packed);
  const output = new Output();
  for (let last = 0; !last; ) {
    last = bits.take(1);
    const kind = bits.take(2);
    if (kind === 0) output.copy(bits.stored());
    else if (kind === 1) inflateBlock(bits, output, ...fixedCodes());
    else if (kind === 2) inflateBlock(bits, output, ...readCodes(bits));
    else throw new Error("the motion in this page is damaged");
  }
  return output.finished();
}

function fixedCodes(): [Code, Code] {
  const lengths = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8));
  return [codeOf(lengths), codeOf(new Array<number>(30).fill(5))];
}

function readCodes(bits: Bits): [Code, Code] {
  const literals = bits.take(5) + 257, distances = bits.take(5) + 1, codes = bits.take(4) + 4;
  const order = new Uint8Array(19);
  for (let i = 0; i < codes; i++) order[CODE_ORDER[i]] = bits.take(3);
  const code = codeOf(order);
  const lengths = new Uint8Array(literals + distances);
  for (let i = 0; i < lengths.length; ) {
    const symbol = bits.symbol(code);
    if (symbol < 16) lengths[i++] = symbol;
    else {
      const value = symbol === 16 ? lengths[i - 1] : 0;
      const count = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
      lengths.fill(value, i, i + count);
      i += count;
    }
  }
  return [codeOf(lengths.subarray(0, literals)), codeOf(lengths.subarray(literals))];
}

function inflateBlock(bits: Bits, output: Output, literals: Code, distances: Code): void {
  for (;;) {
    const symbol = bits.symbol(literals);
    if (symbol === 256) return;
    if (symbol < 256) output.byte(symbol);
    else {
      const length = LENGTH_BASE[symbol - 257] + bits.take(LENGTH_EXTRA[symbol - 257]);
      const place = bits.symbol(distances);
      output.repeat(DISTANCE_BASE[place] + bits.take(Math.max(0, (place >> 1) - 1)), length);
    }
  }
}
