const BUFFER_SIZE = 128 * 1024
const MOST_BUFFERS = 64

export interface Buffers {
  take: (size: number) => Buffer
  give: (buffer: Buffer) => void
}

/** Buffers for answers that are sent and forgotten: making one of 30 kB for each costs more than filling it. */
export function makeBuffers(): Buffers {
  const free: Buffer[] = []
  return {
    take: (size) =>
      size > BUFFER_SIZE ? Buffer.allocUnsafeSlow(size) : (free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_SIZE)),
    give: (buffer) => {
      if (free.length < MOST_BUFFERS && buffer.length === BUFFER_SIZE) free.push(buffer)
    },
  }
}
