// What lessons 9 to 14 ask for on the page, done step by step.

import {lesson} from './student.mjs';

export const lessons = [
    lesson('09-squealing-chalk', async (s) => {
        await s.opens('chalk.yaml');
        await s.picks('#speed', await s.inside.$$eval('#speed option', (all) => all.find((o) => o.textContent === '32 s').value));
        if (await s.inside.$$eval('.marks i', (all) => all.length) !== 8) s.fails('eight marks of events');
        await s.slides(0.2);
        await s.seesOnPage('\'friction\' (Friction)');
        await s.picks('#axis', 'mass.f');
        await s.slides(0.222);
        await s.picture('chalk_cycle', 'body', {below: 560});
        await s.picks('#axis', '');
        await s.view('energy');
        await s.slides(0.2);
        await s.presses('#window-from-now');
        await s.slides(0.4159);
        await s.presses('#window-to-now');
        await s.sees('2.59 mJ');
        await s.opens('chalk.yaml', {options: ['--stop', '2s', '--interval', '1ms'], ...s.tall});
        await s.picks('#axis', ' frequency');
        await s.picture('chalk_tone', '.panel:nth-child(2)', {margin: 8});
    }),
    lesson('10-pendulums', async (s) => {
        await s.opens('by_hand.yaml');
        await s.slides(0.5);
        await s.sees('-0.5881 rad');
        await s.opens('models/mechanics3d/pendulum_with_a_joint.yaml', {options: ['--interval', '10ms']});
        await s.presses('#trail');
        await s.presses('#actions');
        await s.view('plots');
        await s.slides(0.5);
        await s.sees('-0.5881 rad');
        await s.presses('.opener[data-name="hinge"]');
        await s.seesOnPage('hinge is expanded');
        const nudged = s.writes('double.yaml', ['--set', 'nudge=1e-3'], 0, 'nudged.html');
        await s.opens('double.yaml', {width: 1280, height: 900, scale: 1.2});
        await s.pressesNamed('Front');
        await s.presses('#trail');
        await s.slides(0.25);
        await s.picture('double_trail', '.space .stage', {most: 48});
        await s.view('plots');
        await (await s.inside.$('#measured')).uploadFile(nudged);
        await s.slides(0.6);
        await s.seesOnPage('nudged.html: shoulder.phi');
        await s.sees('-0.3835 rad', '-0.3972 rad');
        for (const name of ['elbow.phi', 'nudged.html: elbow.phi']) await s.presses(`.remove[aria-label="Remove ${name}"]`);
        await s.picture('double_apart', '.panel', {margin: 8});
        await s.slides(1);
        await s.sees('3.116 rad', '-3.499 rad');
    }),
    lesson('11-microphone', async (s) => {
        await s.opens('microphone.yaml');
        await s.sees('9.123e-10', '2.302e-5', '30 V', '594.5 µN');
        await s.opensBench('microphone.yaml');
        await s.sets('U', '40');
        await s.sees('2.06e-5');
        await s.sets('U', '50');
        await s.sees('9.231e-6');
        await s.opens('honest.yaml', s.tall);
        await s.view('energy');
        await s.seesOnPage('stays level within');
        await s.opens('audited.yaml', {...s.tall, height: 1400});
        await s.view('energy');
        await s.sees('These books do not add up');
        await s.picture('books_wrong', '.balance-charts', {margin: 8});
    }),
    lesson('12-half-a-reaction', async (s) => {
        await s.opens('reaction.yaml', {options: ['--sensitivity', 'a.q'], height: 760});
        await s.slides(1);
        await s.sees('0.6013 mol', '1.499 mol');
        await s.slides(0.2);
        await s.picture('reaction_plots', 'body', {below: 700});
        await s.view('energy');
        await s.sees('6.974 kJ', '1.676 kJ', '5.298 kJ');
        await s.view('sensitivity');
        await s.sees('0.723', '0.708', '0.0149');
        await s.picture('reaction_sensitivity', ['#pane-sensitivity .tools', '#pane-sensitivity .bars'], {margin: 8});
    }),
    lesson('13-a-table-on-four-legs', async (s) => {
        await s.opens('three_legs.yaml', {width: 1280, height: 720, scale: 1.2});
        await s.picture('table_space', '.space .stage', {most: 64});
        await s.presses('#actions');
        await s.chooses('FixedTranslation leg1');
        await s.sees('leg1.frame_b: 55 N');
        await s.view('plots');
        await s.sees('55 N', '75 N', '110 N');
        await s.opens('wobble.yaml', {width: 1000, height: 720});
        await s.view('plots');
        await s.slides(0.16);
        await s.sees('480 ms', '130 N', '20.21 N', '0 N');
        await s.picture('table_wobble', '.panels');
    }),
    lesson('14-one-equation-that-closes-a-loop', async (s) => {
        await s.opens('engine.yaml', {width: 1280, height: 1200, scale: 1.2});
        await s.slides(0.162);
        await s.view('plots');
        await s.sees('162 ms', '30.2 rad/s', '100 mm');
        await s.picks('#axis', 'main.phi');
        await s.slides(0.1);
        await s.picture('engine_dead_centre', '.panel:nth-child(3)', {margin: 8});
        await s.opens('models/mechanics3d/slider_crank.yaml');
        for (const point of ['crank.frame_b', 'slider']) await s.picks('#more-trails', point);
        await s.seesOnPage('crank.frame_b ×');
    }),
];
