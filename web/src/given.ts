// What the page shows, known before any other module looks at it: its own data, or those that the bench has sent.

export const given: { raw: unknown; live: boolean; link: string | null } = { raw: {}, live: false, link: null };
