// All walks through documents, and where the pictures of each lie.

import {lessons as first} from './walks_lessons.mjs';
import {lessons as further} from './walks_more_lessons.mjs';
import {lessons as seeing} from './walks_seeing.mjs';
import {lessons as tutorial} from './walks_tutorial.mjs';

export const walks = [...seeing, ...tutorial, ...first, ...further];
