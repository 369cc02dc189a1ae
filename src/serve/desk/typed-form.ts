import { storableText } from '../../base/text/characters.ts'
import type { DeskRequest } from './desk-page.ts'

/** The texts in the controls of a form, by their names; a control that stands several times has several texts. */
export type TypedForm = Readonly<Record<string, readonly string[]>>

/** Reads a posted form. Members that are records, such as REST takes for a new venue, are left out. */
export function typedOf({ form }: Pick<DeskRequest, 'form'>): TypedForm {
  const controls = Object.entries(form).flatMap(([name, value]): [string, string[]][] => {
    const texts = textsIn(value)
    return texts ? [[name, texts]] : []
  })
  return Object.fromEntries(controls)
}

function textsIn(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [storableText(value)]
  if (value === null || typeof value !== 'object') return undefined
  const entries = Object.values(value)
  return entries.every((entry) => typeof entry === 'string') && (Array.isArray(value) || isNumbered(value))
    ? entries.map(storableText)
    : undefined
}

const isNumbered = (value: object) => Object.keys(value).every((key) => /^\d+$/.test(key))

/** The last text of a control: of a switch the one that stands behind its hidden twin. */
export function lastTyped(typed: TypedForm, name: string): string {
  return typed[name]?.at(-1) ?? ''
}

/** All texts of a control but the empty ones. */
export function allTyped(typed: TypedForm, name: string): string[] {
  return (typed[name] ?? []).filter((text) => text !== '')
}

export const isTyped = (typed: TypedForm, name: string): boolean => typed[name] !== undefined

/** Whether a switch is on. */
export function isSwitchOn(typed: TypedForm, name: string): boolean {
  return ['1', 'on', 'true', 'yes'].includes(lastTyped(typed, name))
}
