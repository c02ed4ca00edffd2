// What the tutorial asks for on the page, done step by step.

export const lessons = [{document: 'docs/tutorial.md', images: 'docs/images', walk: async (s) => {
    await s.opens('first.yaml');
    await s.presses('#step-first');
    await s.presses('#step-on');
    await s.seesOnPage('fixes its effort');
    await s.presses('#step-on');
    await s.seesOnPage('takes integral causality');
    await s.picture('first_strokes', '.graph', {below: 480});
    await s.presses('#step-on');
    await s.slides(0.2);
    await s.sees('3.161 V');
    await s.picture('first_page');
    await s.view('energy');
    await s.sees('2.483 mJ', '1.233 mJ', '1.25 mJ');
    await s.opensBench('first.yaml');
    await s.sets('U', '9');
    await s.opens('winch.yaml', {width: 1280, height: 440});
    await s.presses('#place-strokes');
    for (const [bond, side] of [['battery', 'to'], ['weight', 'to'], ['rotor', 'to'], ['motor.p2', 'from'], ['drum.p1', 'from'], ['motor.p1', 'to'], ['winding', 'to'], ['drum.p2', 'from'], ['load', 'from']])
        await s.presses(`.stroke-place[data-bond="${bond}"][data-side="${side}"]`);
    await s.sees('the flow of 1-junction \'rope\' is decided by \'drum.p2\'');
    await s.presses('#place-strokes');
    await s.chooses('I load');
    await s.sees('derivative causality: rotor determine it');
    await s.view('plots');
    await s.slides(0.5);
    await s.picture('winch_page', '.graph');
    await s.opens('models/electrical/wheatstone_bridge.yaml');
    await s.opens('pumps.yaml', {status: 2});
    await s.seesOnPage('What is wrong');
    await s.opens('divider.yaml', {width: 1000, height: 600});
    await s.picks('#drawing', await s.inside.$$eval('#drawing option', (all) => all.find((o) => o.textContent === 'Circuit').value));
    await s.slides(0.1);
    await s.focuses('Wire of R1.n');
    await s.sees('1.581 V');
    await s.picture('divider_currents', '.graph', {below: 470});
    await s.slides(1);
    await s.focuses('Wire of R1.n');
    await s.sees('2.5 V');
    await s.slides(0.1);
    await s.picks('#drawing', await s.inside.$$eval('#drawing option', (all) => all.find((o) => o.textContent === 'Bond graph').value));
    await s.presses('.opener[data-name="R1"]');
    await s.picture('divider_opened', '.graph', {below: 470});
}}];
