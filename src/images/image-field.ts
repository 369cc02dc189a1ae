import { image } from '../declare/kinds.ts'
import { defineFields } from '../declare/resource.ts'
import { isImageReference } from './images.ts'

/** The featured image of a record. */
export const imageField = defineFields({
  image: {
    kind: image,
    about: 'The featured image: the id of an image, or an address to fetch one from',
    lookUp: isImageReference,
  },
})
