/** Endings that clients write behind the names of parameters, valid and invalid; most often none. */
export const nameEndings: readonly string[] = [
  '',
  '',
  '',
  '[]',
  '[0]',
  '[a]',
  '[a][b]',
  '[',
  ']',
  '[]]',
  '[[]]',
  '%5B%5D',
  '[__proto__]',
  '.x',
  '[9999999]',
  '[0][0][0][0][0][0][0][0]',
]
