// What lessons 1 to 8 ask for on the page, done step by step; the others are in walks_more_lessons.mjs.

import {lesson} from './student.mjs';

export const lessons = [
    lesson('01-charging-a-capacitor', async (s) => {
        await s.opens('charging.yaml');
        await s.slides(0.1);
        await s.sees('6.321 V', '3.679 mA');
        await s.slides(0.2);
        await s.sees('8.647 V');
        await s.slides(0.5);
        await s.sees('9.933 V');
        await s.slides(0.07);
        await s.picture('charging_page');
        await s.presses('#step-first');
        for (const said of ['fixes its effort', 'takes integral causality', 'the only bond left to decide']) {
            await s.presses('#step-on');
            await s.seesOnPage(said);
        }
        await s.view('equations');
        await s.presses('#symbols');
        await s.seesOnPage('-1/(R*Cap)');
        await s.view('energy');
        await s.sees('100 µJ', '50 µJ');
        await s.slides(0.07);
        await s.presses('#window-to-now');
        await s.seesWithin(0.05, '50.2 µJ', '12.6 µJ', '37.6 µJ');
        await s.opens('charging.yaml', s.tall);
        await s.view('energy');
        await s.picture('charging_energy', ['.window-tools', '.sankey'], {margin: 8});
        await s.opensBench('charging.yaml');
        await s.view('energy');
        for (const R of ['0.1', '0.001']) {  // kohm
            await s.sets('R', R);
            await s.sees('100 µJ', '50 µJ');
        }
        await s.opens('patient.yaml');
        await s.view('energy');
        await s.sees('50.99 µJ', '50 µJ', '990 nJ');
    }),
    lesson('02-car-and-circuit', async (s) => {
        await s.opens('circuit.yaml');
        await s.slides(0.5);
        await s.sees('81.75 mC', '76.31 mA');
        await s.view('linear');
        await s.sees('-1.667 + 6.872i 1/s');
        await s.opens('car.yaml');
        await s.view('linear');
        await s.sees('-1.667 + 6.872i 1/s');
        await s.view('plots');
        await s.slides(0.5);
        await s.sees('81.75 mm', '0.07631 m/s');
        await s.picks('#axis', 'body.f');
        await s.slides(0.15);
        await s.picture('car_spiral');
        await s.opens('worn.yaml');
        await s.view('linear');
        await s.sees('0 + 7.071i 1/s');
        await s.opens('in_a_row.yaml');
        await s.slides(1);
        await s.sees('1.5 m/s');
        await s.view('linear');
        await s.sees('-10 1/s', '-5 1/s');
    }),
    lesson('03-where-a-motor-sends-its-power', async (s) => {
        await s.opensBench('', {place: 'models/electromechanical/dc_motor.yaml'});
        await s.slides(1);
        await s.sees('235.3 rad/s', '471.3 mA', '5.545 W');
        await s.sets('b.R', '0.1');
        await s.sees('11.43 rad/s', '22.86 A', '13.06 W');
        await s.sets('b.R', '0.005');
        await s.sees('120 rad/s', '12 A', '72 W');
        const options = ['--set', 'b.R=5e-3 N.m.s/rad'];
        await s.opens('models/electromechanical/dc_motor.yaml', {options, ...s.tall});
        await s.view('energy');
        await s.sees('302.1 J', '161.6 J', '133.1 J', '7.2 J', '144 mJ', '140.3 J');
        await s.slides(0.05);
        await s.presses('#window-to-now');
        await s.seesWithin(0.05, '23.11 J', '18.86 J');
        await s.picture('motor_start', ['.window-tools', '.sankey'], {margin: 8});
        await s.slides(1);
        await s.presses('#window-to-now');
        await s.slides(0.5);
        await s.presses('#window-from-now');
        await s.seesWithin(0.05, '71.99 J', '71.98 J');
    }),
    lesson('04-two-flywheels-one-gear', async (s) => {
        await s.opens('geared_motor.yaml');
        await s.presses('#place-strokes');
        for (const [bond, side] of [['motor', 'to'], ['rotor', 'to'], ['gear.p1', 'from'], ['gear.p2', 'from'], ['turntable', 'to']])
            await s.presses(`.stroke-place[data-bond="${bond}"][data-side="${side}"]`);
        await s.sees('not there. The flow of 1-junction \'slow\' is decided by \'gear.p2\'');
        await s.picture('gear_strokes', '.graph', {below: 400});
        await s.presses('#place-strokes');
        await s.chooses('I turntable');
        await s.sees('derivative causality: rotor determine it');
        await s.opensBench('geared_motor.yaml');
        await s.slides(1);
        await s.sees('8 rad/s');
        await s.view('energy');
        await s.sees('40 J', '8 J', '32 J');
        await s.sets('ratio', '20');
        await s.sees('160 J', '128 J', '32 J');
        await s.view('plots');
        await s.sees('8 rad/s');
        await s.sets('ratio', '10');
        await s.sees('10 rad/s');
        await s.view('energy');
        await s.sees('50 J');
        await s.opens('geared_motor.yaml', {options: ['--set', 'ratio=10'], ...s.tall});
        await s.view('energy');
        await s.picture('gear_energy', '.sankey');
        await s.opens('with_shaft.yaml', {height: 900});
        await s.picture('gear_shaft', '.panels', {margin: 8});
    }),
    lesson('05-where-does-a-bridge-begin', async (s) => {
        await s.opens('bridge.yaml');
        await s.sees('2.497 mV', '2.502 V', '2.5 V');
        await s.view('details');
        await s.sees('0 storages in integral causality, 0 in derivative causality, 1 algebraic loop', 'r1, r2, r3, r4, meter');
        await s.picture('bridge_loop');
        await s.view('equations');
        await s.seesOnPage('Solved together');
        await s.opensBench('bridge.yaml');
        await s.sets('meter.R', '0');
        await s.sees('2.501 V');
    }),
    lesson('06-two-batteries', async (s) => {
        await s.opens('models/electrical/two_voltage_sources_conflict.yaml', {status: 2, height: 580});
        await s.seesOnPage('What is wrong');
        await s.picture('conflict_page');
        await s.presses('#place-strokes');
        await s.presses('.stroke-place[data-bond="charger"][data-side="to"]');
        await s.sees('not there');
        await s.presses('.stroke-place[data-bond="battery"][data-side="to"]');
        await s.seesOnPage('battery: right');
        await s.presses('.stroke-place[data-bond="charger"][data-side="to"]');
        await s.sees('not there');
        await s.opens('jump_start.yaml', s.tall);
        await s.sees('12 V', '40 A', '80 W');
        await s.seesOnPage('-38.8 A');
        await s.presses('#step-first');
        for (let k = 0; k < 5; ++k) await s.presses('#step-on');
        await s.seesOnPage('5 of 5');
        await s.view('energy');
        await s.sees('560 J', '465.6 J', '80 J', '14.4 J');
        await s.picture('jump_start_energy', '.sankey');
    }),
    lesson('07-water-hammer', async (s) => {
        await s.opens('closing_tap.yaml');
        await s.slides(0.5);
        await s.sees('999.4 kPa');
        await s.picture('tap_hammer');
        await s.view('energy');
        await s.presses('#window-to-now');
        await s.seesWithin(0.01, '49.98 J', '49.94 J');
        await s.opens('closing_tap.yaml', {options: ['--set', 'shut=10s', '--stop', '1s']});
        await s.slides(0.3);
        await s.sees('19.9 kPa');
        await s.slides(0.6);
        await s.sees('398.3 Pa');
    }),
    lesson('08-thermos-and-entropy', async (s) => {
        await s.opens('thermos.yaml');
        await s.sees('363.1 K');
        await s.slides(1);
        await s.sees('318.1 K');
        await s.view('energy');
        await s.sees('No bond of this model carries power.');
        await s.opens('bricks.yaml', {height: 780});
        await s.sees('601.3 J/K');
        await s.slides(0.15);
        await s.picture('bricks_plots', '.panels', {margin: 8});
        await s.slides(1);
        await s.sees('312.5 K', '85.32 J/K');
        await s.view('energy');
        await s.sees('182.9 kJ');
        await s.opens('engine.yaml', s.tall);
        await s.slides(1);
        await s.sees('300 K');
        await s.view('energy');
        await s.sees('209 kJ', '156.7 kJ', '52.25 kJ');
        await s.picture('engine_energy', '.sankey');
    }),
];
