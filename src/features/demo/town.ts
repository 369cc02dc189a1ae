import type { Poster } from './posters.ts'

/** An invented town, with numbers and addresses reserved for fiction. */
export const TOWN = 'Kilvara'

/** Fields for the API, and the `poster` that becomes the image. */
export type SentFields = Readonly<Record<string, unknown>> & { poster?: keyof typeof posters }

export const posters = {
  jazz: {
    file: 'thursday-jazz.jpg',
    words: ['THURSDAY', 'JAZZ'],
    colours: ['#3a0ca3', '#14002f', '#f72585', '#ffe8f2'],
    motif: 'notes',
    shape: 'wide',
  },
  market: {
    file: 'farmers-market.jpg',
    words: ['SATURDAY', 'MARKET'],
    colours: ['#f4f1de', '#3d6b4f', '#e07a5f', '#ffffff'],
    motif: 'stalls',
    shape: 'wide',
  },
  rowing: {
    file: 'learn-to-row.jpg',
    words: ['LEARN', 'TO ROW'],
    colours: ['#8ecae6', '#023047', '#ffb703', '#ffffff'],
    motif: 'oars',
    shape: 'wide',
  },
  regatta: {
    file: 'lough-vara-regatta.jpg',
    words: ['REGATTA'],
    colours: ['#fdf0d5', '#003049', '#219ebc', '#ffffff'],
    motif: 'waves',
    shape: 'large',
  },
  stories: {
    file: 'story-time.jpg',
    words: ['STORY', 'TIME'],
    colours: ['#ffd166', '#c8553d', '#fff7e0', '#ffffff'],
    motif: 'pages',
    shape: 'wide',
  },
  films: {
    file: 'film-club.jpg',
    words: ['FILM CLUB'],
    colours: ['#2b2d42', '#0b0c14', '#ef233c', '#edf2f4'],
    motif: 'reel',
    shape: 'wide',
  },
  choir: {
    file: 'choir-at-st-brigids.jpg',
    words: ['VOICES'],
    colours: ['#cdb4db', '#3c1f4f', '#ffc8dd', '#ffffff'],
    motif: 'arches',
    shape: 'tall',
  },
  chamber: {
    file: 'chamber-music.jpg',
    words: ['CHAMBER', 'MUSIC'],
    colours: ['#0f4c5c', '#09212b', '#9bd1e5', '#ffffff'],
    motif: 'arches',
    shape: 'wide',
  },
  folk: {
    file: 'trad-session.jpg',
    words: ['TRAD', 'SESSION'],
    colours: ['#606c38', '#1f2611', '#dda15e', '#fefae0'],
    motif: 'notes',
    shape: 'wide',
  },
  stars: {
    file: 'star-party.jpg',
    words: ['STAR', 'PARTY'],
    colours: ['#10184a', '#04060f', '#e0e6ff', '#ffffff'],
    motif: 'stars',
    shape: 'tall',
  },
  walks: {
    file: 'hill-walks.jpg',
    words: ['HILL WALK'],
    colours: ['#bde0fe', '#31572c', '#4f772d', '#ffffff'],
    motif: 'hills',
    shape: 'wide',
  },
  studios: {
    file: 'open-studios.jpg',
    words: ['OPEN', 'STUDIOS'],
    colours: ['#ffe5d9', '#9d0208', '#e85d04', '#ffffff'],
    motif: 'frames',
    shape: 'large',
  },
  books: {
    file: 'book-fair.jpg',
    words: ['BOOK FAIR'],
    colours: ['#e9d8a6', '#5a2a0c', '#9b2226', '#fff7e6'],
    motif: 'pages',
    shape: 'wide',
  },
  plants: {
    file: 'plant-swap.jpg',
    words: ['PLANT', 'SWAP'],
    colours: ['#d8f3dc', '#1b4332', '#40916c', '#ffffff'],
    motif: 'leaves',
    shape: 'tall',
  },
  run: {
    file: 'lakeside-ten.jpg',
    words: ['LAKESIDE', 'TEN'],
    colours: ['#ffdd00', '#d00000', '#fff3b0', '#ffffff'],
    motif: 'sun',
    shape: 'wide',
  },
  theatre: {
    file: 'weir-theatre.jpg',
    words: ['THE WEIR', 'THEATRE'],
    colours: ['#7b2d26', '#1d0b09', '#f0c987', '#fff6e5'],
    motif: 'stalls',
    shape: 'wide',
  },
} as const satisfies Record<string, Poster>

const address = { city: TOWN, province: 'Munster', country: 'Ireland' }

export const venues = {
  hall: {
    ...address,
    venue: 'Harbour Hall',
    description:
      '<p>The old grain store on the quay, now a concert hall with 420 seats and a bar that looks over ' +
      'the water.</p><ul><li>Level access from Quay Street</li><li>Induction loop in the ' +
      'stalls</li><li>Cloakroom open from an hour before</li></ul>',
    address: '3 Quay Street',
    zip: 'V99 K1H3',
    phone: '+353 20 913 0110',
    website: 'https://harbourhall.example',
    geo_lat: 52.89714,
    geo_lng: -8.46238,
    step_free: true,
    accessible_toilet: true,
    hearing_loop: true,
    assistance_dogs: true,
    poster: 'chamber',
  },
  square: {
    ...address,
    venue: 'Market Square',
    description: 'Cobbled, car-free and lit in the evening. Public toilets beside the town pump.',
    address: 'Market Square',
    zip: 'V99 K1M1',
    geo_lat: 52.89861,
    geo_lng: -8.46015,
    poster: 'market',
  },
  theatre: {
    ...address,
    venue: 'The Weir Theatre',
    description: 'A hundred and ten seats, one trapdoor, no bad view.',
    address: '1 Weir Lane',
    zip: 'V99 K1W4',
    phone: '+353 20 913 0124',
    website: 'https://weirtheatre.example',
    geo_lat: 52.90022,
    geo_lng: -8.45811,
    step_free: true,
    hearing_loop: true,
    accessible_parking: false,
    poster: 'theatre',
  },
  church: {
    ...address,
    venue: "St Brigid's Church",
    description: 'Candles and cold stone: bring a coat. The acoustics make up for it.',
    address: 'Church Hill',
    zip: 'V99 K1B8',
    geo_lat: 52.90143,
    geo_lng: -8.46302,
    step_free: false,
  },
  library: {
    ...address,
    venue: 'Kilvara Library – Leabharlann Chill Bhara',
    description: 'Reading room upstairs, children’s corner and workshop on the ground floor.',
    address: '22 Mill Road',
    zip: 'V99 K1L2',
    phone: '+353 20 913 0138',
    website: 'https://library.kilvara.example',
    geo_lat: 52.89987,
    geo_lng: -8.46427,
    step_free: true,
    lift: true,
    accessible_toilet: true,
    quiet_space: true,
  },
  boathouse: {
    ...address,
    venue: 'The Boathouse',
    description: 'Home of the rowing club, with a slip, changing rooms and hot showers.',
    address: 'Lough Road',
    zip: 'V99 K2R7',
    phone: '+353 20 913 0145',
    geo_lat: 52.89208,
    geo_lng: -8.46975,
  },
  park: {
    ...address,
    venue: 'Riverside Park Bandstand',
    description: 'Under the lime trees. In rain, concerts move to Harbour Hall.',
    address: 'Riverside Walk',
    zip: 'V99 K1P6',
    geo_lat: 52.89539,
    geo_lng: -8.45692,
  },
  museum: {
    ...address,
    venue: 'Museum of the Lough',
    description: 'Boats, nets and eel traps; a new exhibition each season.',
    address: '9 Quay Street',
    zip: 'V99 K1H9',
    phone: '+353 20 913 0151',
    website: 'https://museum.kilvara.example',
    geo_lat: 52.89688,
    geo_lng: -8.46311,
    step_free: true,
    accessible_toilet: true,
  },
  kettle: {
    ...address,
    venue: 'The Blue Kettle',
    description: 'Kitchen until nine, music after. Twelve tables: those who come early sit.',
    address: '14 Bridge Street',
    zip: 'V99 K1K5',
    phone: '+353 20 913 0167',
    website: 'https://bluekettle.example',
    geo_lat: 52.89795,
    geo_lng: -8.45923,
  },
  mill: {
    ...address,
    venue: 'The Old Mill',
    description: 'Studios on four floors around a water wheel that still turns.',
    address: '40 Mill Road',
    zip: 'V99 K1L9',
    geo_lat: 52.90256,
    geo_lng: -8.46588,
    poster: 'studios',
  },
  gardens: {
    ...address,
    venue: 'Glasshouse Gardens',
    description: 'Two acres behind a wall, with a fernery from 1871.',
    address: 'Garden Lane',
    zip: 'V99 K1G0',
    phone: '+353 20 913 0173',
    geo_lat: 52.90418,
    geo_lng: -8.45544,
    poster: 'plants',
  },
  hill: {
    ...address,
    venue: 'Knockvara Viewpoint',
    description:
      'Car park, picnic tables and the darkest sky for miles. Bus 14 stops at the foot of the hill.',
    address: 'Knockvara, 5 km north of the town',
    zip: 'V99 K7V1',
    geo_lat: 52.94127,
    geo_lng: -8.44376,
    poster: 'walks',
  },
} as const satisfies Record<string, SentFields>

export const organizers = {
  music: {
    organizer: 'Harbour Music Society',
    description: 'Concerts on the quay since 1962. Members hear four a year for the price of three.',
    phone: '+353 20 913 0210',
    email: 'tickets@harbourmusic.example',
    website: 'https://harbourmusic.example',
  },
  jazz: {
    organizer: 'Blue Kettle Jazz',
    description: 'Aoife Ní Bhriain and whoever is in town.',
    email: 'thursdays@bluekettle.example',
    website: 'https://bluekettle.example/jazz',
    poster: 'jazz',
  },
  choir: {
    organizer: 'Cór Chill Bhara',
    description: 'Sixty voices, three languages, one tuning fork. New singers are welcome, tenors above all.',
    email: 'coir@kilvara.example',
    poster: 'choir',
  },
  rowing: {
    organizer: 'Kilvara Rowing Club',
    phone: '+353 20 913 0145',
    email: 'club@kilvararowing.example',
    website: 'https://kilvararowing.example',
    poster: 'rowing',
  },
  growers: {
    organizer: 'Lough Vara Growers',
    description: 'Thirty farms, gardens and kitchens within twenty miles of the square.',
    email: 'stalls@growers.example',
  },
  library: {
    organizer: 'Friends of the Library',
    email: 'friends@library.kilvara.example',
    website: 'https://library.kilvara.example/friends',
  },
  films: {
    organizer: 'Ciné-club de Kilvara',
    description: 'Films nobody else shows, in the language they were made in, with subtitles.',
    email: 'bonsoir@cineclub.example',
    poster: 'films',
  },
  walkers: {
    organizer: 'Knockvara Walkers & Stargazers',
    description: 'Boots by day, telescopes by night.',
    email: 'knockvara@walkers.example',
  },
  japan: {
    organizer: '日本文化の会 Kilvara',
    description: 'The Japanese Culture Society: language, tea and paper, in Kilvara and online with Matsue.',
    email: 'konnichiwa@nihon.example',
  },
  council: {
    organizer: 'Kilvara Town Council',
    phone: '+353 20 913 0100',
    email: 'office@kilvara.example',
    website: 'https://kilvara.example',
  },
} as const satisfies Record<string, SentFields>

export interface Branch {
  name: string
  description?: string
  below?: readonly Branch[]
}

export const categories: readonly Branch[] = [
  {
    name: 'Music',
    description: 'Whatever is played or sung.',
    below: [
      { name: 'Jazz' },
      { name: 'Choir' },
      { name: 'Classical', below: [{ name: 'Chamber music' }, { name: 'Organ' }] },
      { name: 'Folk & trad' },
    ],
  },
  { name: 'Markets', below: [{ name: 'Farmers’ market' }, { name: 'Flea market' }] },
  { name: 'Sports', below: [{ name: 'Rowing' }, { name: 'Running' }, { name: 'Walking' }] },
  { name: 'Stage', below: [{ name: 'Theatre' }, { name: 'Comedy' }, { name: 'Dance' }] },
  { name: 'Film', description: 'Screenings, mostly at the Weir Theatre.' },
  { name: 'Art & exhibitions' },
  { name: 'Talks & readings', below: [{ name: 'Science' }, { name: 'Local history' }] },
  { name: 'Workshops' },
  { name: 'Families' },
  { name: 'Town life', description: 'Meetings, festivals and what everybody goes to.' },
]

export const tags = [
  'beginners welcome',
  'booking required',
  'bring your own',
  'café open',
  'charity',
  'children',
  'dogs welcome',
  'evening',
  'food & drink',
  'Gaeilge',
  'late night',
  'live music',
  'local produce',
  'online',
  'open air',
  'pay what you can',
  'step-free',
  'volunteers',
  'weekly',
  '日本語',
] as const

/** An event is made once, or on the same weekday of several weeks. */
export interface Occasion {
  title: string
  /** Week 0 begins on the Monday 8 to 14 days before the start of the demo. */
  weeks: readonly number[]
  day: (typeof DAYS)[number]
  again?: string
  /** `HH:MM`; an end before the start is on the next day. Without hours the event lasts all day. */
  hours?: readonly [from: string, to: string]
  /** Length in days; 1 by default. */
  days?: number
  venue?: keyof typeof venues
  organizers: readonly (keyof typeof organizers)[]
  categories: readonly string[]
  tags?: readonly (typeof tags)[number][]
  poster?: keyof typeof posters
  excerpt?: string
  description: string
  sent?: Readonly<Record<string, unknown>>
  /** Days from the start of the demo until the event is published. */
  appears?: number
}

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
