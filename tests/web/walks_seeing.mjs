// The ten minutes of docs/seeing.md, done step by step.

export const lessons = [{document: 'docs/seeing.md', images: 'docs/images', walk: async (s) => {
    const motor = 'models/electromechanical/dc_motor.yaml';
    await s.opens(motor, {link: '#t=0.12&view=plots&bond=armature'});
    await s.picture('page_motor');
    await s.opens(motor);
    await s.page.keyboard.press('Space'); // minute 1
    await s.page.waitForFunction(() => document.getElementById('now').textContent !== '0 s');
    await s.page.keyboard.press('Space');
    await s.slides(0.06);
    await s.sees('120 ms', '13.62 A', '106.6 rad/s', '72.56 W');
    await s.points('Bond armature'); // minute 2
    await s.sees('5.329 V', '13.62 A', 'the flow of 1-junction \'j1\' is decided by \'La\'');
    await s.chooses('Bond armature');
    await s.seesOnPage('for I \'La\' takes integral causality');
    await s.presses('#plot-chosen');
    await s.presses('#step-first'); // minute 3
    for (let k = 0; k < 7; ++k) await s.presses('#step-on');
    await s.seesOnPage('7 of 7');
    await s.presses('#step-last');
    await s.presses('#place-strokes');
    await s.presses('.stroke-place[data-bond="source"][data-side="to"]');
    await s.seesOnPage('6 left');
    await s.presses('#place-strokes');
    await s.view('equations'); // minute 4
    await s.chooses('GY emf');
    if (await s.inside.$$eval('.equation-list .lit', (all) => all.length) !== 2) s.fails('two equations of emf light up');
    await s.presses('#derive');
    await s.presses('#derive');
    await s.view('linear'); // minute 5
    await s.sees('-244.89 1/s', '-5.2063 1/s');
    await s.view('energy'); // minute 6
    await s.sees('66.66 J', '27.68 J', '38.98 J', '29.52 J', '9.455 J');
    await s.slides(0.06);
    await s.presses('#window-to-now');
    await s.view('plots'); // minute 7
    await s.picks('#axis', 'La.f');
    await s.picks('#axis', '');
    await (await s.inside.$('#measured')).uploadFile(s.writes(motor, ['--set', 'J.I=2e-3 kg.m2'], 0, 'heavy.html'));
    await s.sees('heavy.html');
    await s.opens(motor, {options: ['--sensitivity', 'J.f']}); // minute 8
    await s.view('sensitivity');
    await s.sees('+1', '−0.96');
    await s.opens(motor, {link: '#t=0.3&view=equations&node=emf&step=4'});
    await s.picture('page_causality');
    await s.opens('models/mechanics3d/robot_arm.yaml', {width: 1100, height: 560, scale: 1.1}); // minute 9
    await s.presses('#trail');
    await s.slides(0.5);
    await s.chooses('BodyShape upper');
    await s.presses('.opener[data-name="shoulder_drive"]');
    await s.seesOnPage('shoulder_drive is expanded');
    await s.presses('.opener[data-name="shoulder_drive"]');
    await s.seesOnPage('shoulder_drive is collapsed');
    await s.opens('models/mechanics3d/robot_arm.yaml', {width: 1100, height: 560, scale: 1.1, link: '#t=1&view=space&node=upper'});
    await s.picture('page_robot', 'body', {most: 64});
    await s.opensBench('', {place: motor}); // minute 10
    await s.slides(0.06);
    await s.sets('Ra.R', '1.2');
    await s.picture('bench_motor', 'body', {whole: true, most: 64});
}}];
