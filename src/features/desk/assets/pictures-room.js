// Uploads many pictures one after the other, whether chosen, dropped or pasted. A click on a picture sets its
// focal point.

export {}

const form = document.querySelector('form.upload')
if (form instanceof HTMLFormElement) takePictures(form)

const picture = document.querySelector('.edit .picture.whole')
const focus = document.querySelector('.edit .focus')
if (picture instanceof HTMLElement && focus instanceof HTMLElement) pointAt(picture, focus)

/** @param {HTMLFormElement} form */
function takePictures(form) {
  const input = form.querySelector('input[type=file]')
  const shown = document.querySelector('ul.pictures')
  if (!(input instanceof HTMLInputElement) || !shown) return
  const hint = form.querySelector('.dropped')
  if (hint instanceof HTMLElement) hint.hidden = false
  form.querySelector('button')?.parentElement?.remove()
  // This hint is about sending all pictures in one form.
  document.getElementById('pictures-hint')?.remove()
  input.removeAttribute('aria-describedby')
  const list = document.createElement('ul')
  list.className = 'sending'
  const told = document.createElement('div')
  told.setAttribute('role', 'status')
  told.append(list)
  form.append(told)
  let last = Promise.resolve()
  /** @param {Iterable<File>} files */
  const take = (files) => {
    for (const file of files)
      if (file.type.startsWith('image/') || /\.hei[cf]$/i.test(file.name)) {
        const line = lineOf(file, list)
        last = last.then(() => send(form, file, line, shown))
      }
  }
  input.addEventListener('change', () => {
    take(input.files ?? [])
    input.value = ''
  })
  form.addEventListener('submit', (submit) => submit.preventDefault())
  document.addEventListener('paste', (paste) => {
    const isTyping = paste.target instanceof HTMLInputElement && paste.target.type === 'search'
    if (!isTyping) take(paste.clipboardData?.files ?? [])
  })
  for (const name of /** @type {const} */ (['dragenter', 'dragover', 'dragleave', 'drop']))
    document.addEventListener(name, (drag) => {
      if (!drag.dataTransfer?.types.includes('Files')) return
      drag.preventDefault()
      form.classList.toggle('over', name === 'dragover' || name === 'dragenter')
      if (name === 'drop') take(drag.dataTransfer.files)
    })
  addEventListener('beforeunload', (event) => {
    if (list.querySelector('progress')) event.preventDefault()
  })
}

/** @param {File} file @param {Element} list */
function lineOf(file, list) {
  const line = document.createElement('li')
  const name = document.createElement('span')
  name.textContent = file.name
  const progress = document.createElement('progress')
  progress.max = file.size
  progress.value = 0
  progress.setAttribute('aria-label', file.name)
  line.append(name, progress)
  list.append(line)
  return line
}

/**
 * @param {HTMLFormElement} form
 * @param {File} file
 * @param {HTMLElement} line
 * @param {Element} shown
 */
async function send(form, file, line, shown) {
  const refused = Number(form.dataset.most) < file.size ? form.dataset.tooLarge : undefined
  const answer =
    refused === undefined ? await posted(form, file, line.querySelector('progress')) : { fault: refused }
  if ('fault' in answer) {
    line.querySelector('progress')?.remove()
    line.className = 'error'
    line.append(` ${answer.fault}`)
    return
  }
  line.remove()
  shown.insertAdjacentHTML('afterbegin', answer.markup)
  document.querySelector('p.nothing')?.remove()
}

/**
 * Uses XMLHttpRequest, since `fetch` does not report the progress of an upload.
 * @param {HTMLFormElement} form
 * @param {File} file
 * @param {HTMLProgressElement | null} progress
 * @returns {Promise<{ markup: string } | { fault: string }>}
 */
function posted(form, file, progress) {
  const body = new FormData()
  body.append('as', 'data')
  body.append('key', crypto.randomUUID?.() ?? String(performance.now()))
  body.append('picture', file, file.name)
  const request = new XMLHttpRequest()
  request.open('POST', form.action)
  request.responseType = 'json'
  request.upload.addEventListener('progress', ({ loaded }) => {
    if (progress) progress.value = loaded
  })
  return new Promise((resolve) => {
    const failed = { fault: form.dataset.failed ?? '' }
    request.addEventListener('load', () => resolve(request.response ?? failed))
    request.addEventListener('error', () => resolve(failed))
    request.send(body)
  })
}

/** Share of width and height. */
const STEP = 0.05

/**
 * A click sets the focal point. It gets a radio button of its own after the nine given ones.
 * @param {HTMLElement} picture
 * @param {HTMLElement} focus
 */
function pointAt(picture, focus) {
  const mark = document.createElement('i')
  mark.className = 'point'
  picture.append(mark)
  const show = () => {
    const chosen = focus.querySelector('input:checked')
    const [x = 0.5, y = 0.5] =
      chosen instanceof HTMLInputElement && chosen.value !== '' ? chosen.value.split(' ').map(Number) : []
    mark.style.insetInlineStart = `${x * 100}%`
    mark.style.insetBlockStart = `${y * 100}%`
  }
  const own = focus.querySelector('label:nth-of-type(10) input') ?? ownRadio(focus)
  picture.addEventListener('click', ({ clientX, clientY }) => {
    const box = picture.getBoundingClientRect()
    const share = (/** @type {number} */ at) =>
      Math.min(1, Math.max(0, Math.round(at / STEP) * STEP)).toFixed(2)
    if (!(own instanceof HTMLInputElement)) return
    const [x, y] = [share((clientX - box.x) / box.width), share((clientY - box.y) / box.height)]
    own.value = `${Number(x)} ${Number(y)}`
    own.checked = true
    own.parentElement?.removeAttribute('hidden')
    show()
  })
  focus.addEventListener('change', show)
  show()
}

/** @param {HTMLElement} focus */
function ownRadio(focus) {
  const label = document.createElement('label')
  const radio = document.createElement('input')
  radio.type = 'radio'
  radio.name = 'image_focus'
  radio.setAttribute('aria-label', focus.dataset.own ?? '')
  label.hidden = true
  label.append(radio)
  focus.append(label)
  return radio
}
