import type { TextIn, Texts } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'
import { deskTexts } from './desk-texts.ts'

export const pictureTexts = {
  Unused: { de: 'Unbenutzt', fr: 'Non utilisées', es: 'Sin usar' },
  'Without text': { de: 'Ohne Text', fr: 'Sans texte', es: 'Sin texto' },
  'Pictures added: {count}': {
    de: 'Hinzugefügte Bilder: {count}',
    fr: 'Images ajoutées : {count}',
    es: 'Imágenes añadidas: {count}',
  },
  'Up to {most} MB together.': {
    de: 'Zusammen bis zu {most} MB.',
    fr: 'Jusqu’à {most} Mo en tout.',
    es: 'Hasta {most} MB en total.',
  },
  'Or drop pictures here, or paste one.': {
    de: 'Oder ziehen Sie Bilder hierher, oder fügen Sie eines ein.',
    fr: 'Ou déposez des images ici, ou collez-en une.',
    es: 'O suelte imágenes aquí, o pegue una.',
  },
  Upload: { de: 'Hochladen', fr: 'Téléverser', es: 'Subir' },
  '{size} kB': { de: '{size} kB', fr: '{size} ko', es: '{size} kB' },
  Caption: { de: 'Bildunterschrift', fr: 'Légende', es: 'Pie de foto' },
  'Found by the search.': {
    de: 'Die Suche findet ihn.',
    fr: 'La recherche le trouve.',
    es: 'La búsqueda lo encuentra.',
  },
  'Pages crop pictures around this point.': {
    de: 'Seiten schneiden Bilder um diese Stelle zu.',
    fr: 'Les pages recadrent les images autour de ce point.',
    es: 'Las páginas recortan las imágenes alrededor de este punto.',
  },
  'Replace the file': { de: 'Datei ersetzen', fr: 'Remplacer le fichier', es: 'Sustituir el archivo' },
  'All that show it show the new one.': {
    de: 'Alles, was es zeigt, zeigt dann das neue.',
    fr: 'Tout ce qui la montre montrera la nouvelle.',
    es: 'Todo lo que la muestra mostrará la nueva.',
  },
  'Shown by': { de: 'Zu sehen bei', fr: 'Montrée par', es: 'La muestran' },
  'Nothing shows it.': { de: 'Nirgends zu sehen.', fr: 'Rien ne la montre.', es: 'Nada la muestra.' },
  'It could not be sent; try again in a moment.': {
    de: 'Es ließ sich nicht senden; versuchen Sie es gleich noch einmal.',
    fr: 'L’envoi a échoué ; réessayez dans un instant.',
    es: 'No se pudo enviar; inténtelo de nuevo en un momento.',
  },
} as const satisfies Texts

const pictureSayings = { ...deskTexts, ...pictureTexts } as const

export type PictureText = TextIn<typeof pictureSayings>

export const sayOfPictures = sayIn(pictureSayings)
