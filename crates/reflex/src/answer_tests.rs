use super::*;

#[test]
fn a_spread_adds_up_and_its_best_stands_alone() {
    for scores in [vec![0.9, 0.1], vec![0.9, 0.9, 0.9], vec![0.0; 255], vec![0.5], vec![0.01, 0.0], vec![0.3, 0.95, 0.94]] {
        let units = spread(&scores);
        assert_eq!(units.iter().sum::<u64>(), UNITS);
        let best = argmax(&scores).unwrap();
        assert!(
            units.iter().enumerate().all(|(at, unit)| at == best || *unit < units[best])
                || scores.iter().all(|score| *score == 0.0),
            "{scores:?}"
        );
    }
}

#[test]
fn confidence_is_the_score_whatever_the_number_of_options() {
    for count in [2, 3, 11, 100] {
        let mut scores = vec![0.02; count];
        scores[1] = 0.9;
        let confidence = choice_confidence(as_probability(spread(&scores)[1]), count);
        assert!((confidence - 0.9).abs() < 0.001, "{count}: {confidence}");
    }
}
