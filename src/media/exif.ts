/**
 * Exif data that say how an image is held up and nothing else (Exif 2.3, 4.6.2): a directory with the one entry 0x0112, little-endian.
 * `orientation` is a number from 1 to 8.
 */
export function orientationExif(orientation: number): Buffer {
  const bytes = Buffer.alloc(26)
  bytes.write('II*\0', 'latin1')
  bytes.writeUInt32LE(8, 4)
  bytes.writeUInt16LE(1, 8)
  bytes.writeUInt16LE(0x0112, 10)
  bytes.writeUInt16LE(3, 12)
  bytes.writeUInt32LE(1, 14)
  bytes.writeUInt16LE(orientation, 18)
  return bytes
}
