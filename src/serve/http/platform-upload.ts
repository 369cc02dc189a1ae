import { MIMEType } from 'node:util'
import type { Body, Upload } from './incoming.ts'

/** The file a request brings: the first of a multipart form, else the body as it stands. Undefined when there is none. */
export function uploadOf({ form, file }: Body): Upload | undefined {
  return form ? form.files[0] : file
}

/**
 * The file name in a Content-Disposition header as Node gives it, one character a byte: `filename*` before `filename` (RFC 6266).
 * Empty when there is none that can be read.
 */
export function fileNameOf(header: string): string {
  const parameters = parametersOf(header)
  return decodeExtended(parameters?.get('filename*') ?? '') ?? decodeBytes(parameters?.get('filename') ?? '')
}

/** The parameters after the first word, in the grammar of a media type (RFC 6266 4.1, RFC 9110 5.6.6). */
function parametersOf(header: string): MIMEType['params'] | undefined {
  try {
    return new MIMEType(`disposition/${header.trim()}`).params
  } catch {
    return undefined
  }
}

/** The text of an extended value such as `UTF-8''na%C3%AFve.png` (RFC 8187); undefined for any other. */
function decodeExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1)'[\w-]*'(.+)$/i.exec(value) ?? []
  if (charset === '') return undefined
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return charset.toLowerCase() === 'utf-8' ? decodeBytes(bytes) : bytes
}

/** Bytes, one a character, as UTF-8 where they are, which is what browsers send; else as the ISO-8859-1 that the standard says. */
function decodeBytes(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}
