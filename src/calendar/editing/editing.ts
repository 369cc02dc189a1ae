// What the desk does with records, in one list: its pages take these from here.

export { mergeForm, saveForm } from './merge-edits.ts'
export { createRecord, removeRecord, untrashRecord, updateRecord } from './save-record.ts'
