// What the desk does with records, in one list: its pages take these from here.

export { findBrought, mayReview, waitingTerms } from './bring-along.ts'
export { changeMany, listMatching, MOST_AT_ONCE } from './change-many.ts'
export { listInbox, listSentBack } from './inbox.ts'
export { mergeForm, saveForm } from './merge-edits.ts'
export { countUses, MOST_USES_COUNTED, mergeRecords } from './merge-records.ts'
export {
  findSeenProposal,
  mayPropose,
  proposalsAbout,
  proposeChange,
  publishPending,
  publishProposal,
  sendBackPending,
  sendBackProposal,
  withdrawProposal,
} from './review.ts'
export { createRecord, removeRecord, untrashRecord, updateRecord } from './save-record.ts'
export { findTold, tellOnce } from './told-once.ts'
export { undoMany } from './undo-many.ts'
export { discardUnsavedText, findUnsavedText, keepUnsavedText, listUnsavedTexts } from './unsaved-texts.ts'
