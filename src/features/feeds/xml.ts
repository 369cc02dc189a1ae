const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows only tab and line ends.
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]/gu

function escapeXml(text: string): string {
  return text
    .replace(NOT_XML, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

export function xmlElement(
  name: string,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): string {
  return `<${name}${attributesOf(attributes)}>${escapeXml(text)}</${name}>`
}

export function emptyElement(name: string, attributes: Readonly<Record<string, string>>): string {
  return `<${name}${attributesOf(attributes)}/>`
}

function attributesOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('')
}
