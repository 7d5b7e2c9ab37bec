"""Compute numbers from values with pure functions. All formulas of dxjudge are here.

Import them as in `from dxjudge.scoring import top_k_accuracy`; a name loads on first use.
docs/scoring.md lists every measure with its formula, its source and a worked example.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._arithmetic import SAME
    from .bootstrap import (
        Difference,
        Interval,
        Plan,
        bootstrap_differences,
        bootstrap_interval,
        bootstrap_many,
        bootstrap_t,
        replicates,
    )
    from .calibration import CorrectedAccuracy, prediction_powered, rogan_gladen, sampling_p_value
    from .cascade import CascadeRow, compare_models, model_differences
    from .choice import (
        AbilityScores,
        Merged,
        Placed,
        PositionTest,
        ability_scores,
        choice_is_right,
        merge_ranks,
        open_average,
        option_score,
        uniform_positions,
    )
    from .comparisons.multiple import benjamini_hochberg, holm
    from .comparisons.power import (
        Pilot,
        detectable_difference,
        pilot_of,
        power_of,
        units_needed,
    )
    from .comparisons.subgroups import SubgroupGap, subgroup_gap
    from .differences import Columns, common_values, mean_columns, paired_differences
    from .encoders import ClipEncoder, SentenceEncoder, load_encoder
    from .flat import RankChange, rank_changes, ranks, top_k_accuracy
    from .gold_table import MappingMiss, MappingQuality, mapping_quality
    from .hierarchical import (
        HierarchicalCounts,
        HierarchicalScores,
        augment,
        counts_by_model,
        hierarchical_scores,
    )
    from .identities import Identity, Violation, violations
    from .jury import RULES, JuryVerdict, Rule, check_weights, combine, learn_weights
    from .means import mean_interval, mean_statistic
    from .medsyn import Gap, choice_accuracy, covers, ddx_coverage, ddx_fdx_gap, mean_grade
    from .missed import Miss, deepest_shared, misses
    from .paired import (
        Majority,
        PairOutcome,
        PairScores,
        Spread,
        best_of_n,
        best_of_subsets,
        majority_vote,
        oracle_is_right,
        pair_outcome,
        pair_scores,
        variant_spread,
    )
    from .pairwise import Contest, Ladder, Strength, bradley_terry, strengths
    from .raters._ratings import Scale, is_number
    from .raters.agreement import Coefficient, jury_agreement, pair_agreement
    from .raters.alignment import (
        ChoiceAlignment,
        RankAlignment,
        choice_alignment,
        rank_alignment,
    )
    from .raters.coefficients import (
        cohen_kappa,
        consistency,
        fleiss_kappa,
        gwet_ac1,
        gwet_ac2,
        kendall,
        krippendorff_alpha,
        mean_absolute_difference,
        share_identical,
        spearman,
    )
    from .raters.distance import disagreement, verdict_distance
    from .raters.drawn import allocate_sample, draw_by_strata, judged_chances
    from .raters.own_family import self_preference, unscaled_preference
    from .raters.preference import PreferenceAgreement, mean_scores, preference_agreement
    from .raters.sampled import population_z, sampled_rogan_gladen, sampled_share
    from .raters.shared_errors import HiddenErrors, error_correlation, hidden_error_correlations
    from .ratios import clip_interval, deviation_over_units, hierarchical_statistic, ratio_of_sums
    from .robustness import Comparison, FlipRate, Fragile, compare_votes, flip_rates, fragile_cases
    from .rubric import CriteriaScore, RubricScore, criteria_score, rubric_score
    from .semantic import (
        DdxScores,
        DdxSummary,
        TextEncoder,
        cosine_matrix,
        ddx_scores,
        ddx_similarity,
        macro_ddx,
        match_ddx,
        micro_ddx,
        micro_terms,
        normalise_similarity,
    )
    from .sensitivity import (
        below_diagonal_intervals,
        choice_shares,
        evidence_sensitivity,
        mean_over_types,
        nmse_gap,
        nmse_intervals,
        share_below_diagonal,
    )
    from .share_limits import (
        paired_share_interval,
        share_interval,
        share_of_sums,
        weighted_share_interval,
        wilson,
    )
    from .shares import (
        FAILED,
        Bounds,
        Failed,
        Mean,
        Share,
        bounds,
        breakdown,
        is_resolved,
        mean,
        share,
    )
    from .stability import (
        RankingStability,
        RankRange,
        leave_one_out,
        order_flips,
        ranking_stability,
        score_flips,
    )
    from .text import (
        Overlap,
        TextScores,
        TokenEncoder,
        bert_score,
        bleu,
        corpus_bleu,
        meteor,
        rouge,
        text_scores,
        wordnet_synonyms,
    )
    from .tokens import likeliest_option, mean_logprobs, option_probabilities
    from .votes import Vote, fault_of, identity

# fmt: off
# Module -> the public names that it holds.
_HOMES = {
    "_arithmetic": ("SAME",),
    "raters._ratings": ("Scale", "is_number"),
    "raters.agreement": ("Coefficient", "jury_agreement", "pair_agreement"),
    "raters.coefficients": ("cohen_kappa", "consistency", "fleiss_kappa", "gwet_ac1", "gwet_ac2",
        "kendall", "krippendorff_alpha", "mean_absolute_difference", "share_identical",
        "spearman"),
    "bootstrap": ("Difference", "Interval", "Plan", "bootstrap_differences",
        "bootstrap_interval", "bootstrap_many", "bootstrap_t",
        "replicates"),
    "calibration": ("CorrectedAccuracy", "prediction_powered", "rogan_gladen",
        "sampling_p_value"),
    "cascade": ("CascadeRow", "compare_models", "model_differences"),
    "choice": ("AbilityScores", "Merged", "Placed", "PositionTest", "ability_scores",
        "choice_is_right", "merge_ranks", "open_average", "option_score", "uniform_positions"),
    "comparisons.multiple": ("benjamini_hochberg", "holm"),
    "raters.alignment": ("ChoiceAlignment", "RankAlignment", "choice_alignment",
        "rank_alignment"),
    "comparisons.power": ("Pilot", "detectable_difference", "pilot_of", "power_of",
        "units_needed"),
    "comparisons.subgroups": ("SubgroupGap", "subgroup_gap"),
    "raters.drawn": ("allocate_sample", "draw_by_strata", "judged_chances"),
    "raters.distance": ("disagreement", "verdict_distance"),
    "differences": ("Columns", "common_values", "mean_columns", "paired_differences"),
    "encoders": ("ClipEncoder", "SentenceEncoder", "load_encoder"),
    "flat": ("RankChange", "rank_changes", "ranks", "top_k_accuracy"),
    "gold_table": ("MappingMiss", "MappingQuality", "mapping_quality"),
    "hierarchical": ("HierarchicalCounts", "HierarchicalScores", "augment", "counts_by_model",
        "hierarchical_scores"),
    "identities": ("Identity", "Violation", "violations"),
    "jury": ("JuryVerdict", "RULES", "Rule", "check_weights", "combine", "learn_weights"),
    "means": ("mean_interval", "mean_statistic"),
    "medsyn": ("Gap", "choice_accuracy", "covers", "ddx_coverage", "ddx_fdx_gap", "mean_grade"),
    "missed": ("Miss", "deepest_shared", "misses"),
    "paired": ("Majority", "PairOutcome", "PairScores", "Spread", "best_of_n",
        "best_of_subsets", "majority_vote", "oracle_is_right", "pair_outcome", "pair_scores",
        "variant_spread"),
    "pairwise": ("Contest", "Ladder", "Strength", "bradley_terry", "strengths"),
    "raters.own_family": ("self_preference", "unscaled_preference"),
    "raters.preference": ("PreferenceAgreement", "mean_scores", "preference_agreement"),
    "raters.shared_errors": ("HiddenErrors", "error_correlation", "hidden_error_correlations"),
    "ratios": ("clip_interval", "deviation_over_units", "hierarchical_statistic", "ratio_of_sums"),
    "robustness": ("Comparison", "FlipRate", "Fragile", "compare_votes", "flip_rates",
        "fragile_cases"),
    "raters.sampled": ("population_z", "sampled_rogan_gladen", "sampled_share"),
    "rubric": ("CriteriaScore", "RubricScore", "criteria_score", "rubric_score"),
    "semantic": ("DdxScores", "DdxSummary", "TextEncoder", "cosine_matrix", "ddx_scores",
        "ddx_similarity", "macro_ddx", "match_ddx", "micro_ddx",
        "micro_terms", "normalise_similarity"),
    "sensitivity": ("below_diagonal_intervals", "choice_shares", "evidence_sensitivity",
        "mean_over_types", "nmse_gap", "nmse_intervals", "share_below_diagonal"),
    "share_limits": (
        "paired_share_interval", "share_interval", "share_of_sums", "weighted_share_interval",
        "wilson",
    ),
    "shares": ("Bounds", "FAILED", "Failed", "Mean", "Share", "bounds", "breakdown",
        "is_resolved", "mean", "share"),
    "stability": ("RankRange", "RankingStability", "leave_one_out", "order_flips",
        "ranking_stability", "score_flips"),
    "text": ("Overlap", "TextScores", "TokenEncoder", "bert_score", "bleu",
        "corpus_bleu", "meteor", "rouge", "text_scores", "wordnet_synonyms"),
    "tokens": ("likeliest_option", "mean_logprobs", "option_probabilities"),
    "votes": ("Vote", "fault_of", "identity"),
}
# fmt: on
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

# fmt: off
__all__ = [
    "AbilityScores", "Bounds", "CascadeRow", "ChoiceAlignment", "ClipEncoder", "Coefficient",
    "Columns", "Comparison", "Contest", "CorrectedAccuracy", "CriteriaScore", "DdxScores",
    "DdxSummary", "Difference", "FAILED", "Failed", "FlipRate", "Fragile", "Gap", "HiddenErrors",
    "HierarchicalCounts", "HierarchicalScores", "Identity", "Interval", "JuryVerdict", "Ladder",
    "Majority", "MappingMiss", "MappingQuality", "Mean", "Merged", "Miss", "Overlap", "PairOutcome",
    "PairScores", "Pilot", "Placed", "Plan", "PositionTest", "PreferenceAgreement", "RULES",
    "RankAlignment", "RankChange", "RankRange", "RankingStability", "RubricScore", "Rule", "SAME",
    "Scale", "SentenceEncoder", "Share", "Spread", "Strength", "SubgroupGap", "TextEncoder",
    "TextScores", "TokenEncoder", "Violation", "Vote", "ability_scores", "allocate_sample",
    "augment", "below_diagonal_intervals", "benjamini_hochberg", "bert_score", "best_of_n",
    "best_of_subsets", "bleu", "bootstrap_differences", "bootstrap_interval", "bootstrap_many",
    "bootstrap_t", "bounds", "bradley_terry", "breakdown", "check_weights", "choice_accuracy",
    "choice_alignment", "choice_is_right", "choice_shares", "clip_interval", "cohen_kappa",
    "combine", "common_values", "compare_models", "compare_votes", "consistency", "corpus_bleu",
    "cosine_matrix", "counts_by_model", "covers", "criteria_score", "ddx_coverage", "ddx_fdx_gap",
    "ddx_scores", "ddx_similarity", "deepest_shared", "detectable_difference",
    "deviation_over_units", "disagreement", "draw_by_strata", "error_correlation",
    "evidence_sensitivity", "fault_of", "fleiss_kappa", "flip_rates", "fragile_cases", "gwet_ac1",
    "gwet_ac2", "hidden_error_correlations", "hierarchical_scores", "hierarchical_statistic",
    "holm", "identity", "is_number", "is_resolved", "judged_chances", "jury_agreement", "kendall",
    "krippendorff_alpha", "learn_weights", "leave_one_out", "likeliest_option", "load_encoder",
    "macro_ddx", "majority_vote", "mapping_quality", "match_ddx", "mean",
    "mean_absolute_difference", "mean_columns", "mean_grade", "mean_interval", "mean_logprobs",
    "mean_over_types", "mean_scores", "mean_statistic", "merge_ranks", "meteor", "micro_ddx",
    "micro_terms", "misses", "model_differences", "nmse_gap", "nmse_intervals",
    "normalise_similarity", "open_average", "option_probabilities", "option_score",
    "oracle_is_right", "order_flips", "pair_agreement", "pair_outcome", "pair_scores",
    "paired_differences", "paired_share_interval", "pilot_of", "population_z", "power_of",
    "prediction_powered", "preference_agreement", "rank_alignment", "rank_changes",
    "ranking_stability", "ranks", "ratio_of_sums", "replicates", "rogan_gladen", "rouge",
    "rubric_score", "sampled_rogan_gladen", "sampled_share", "sampling_p_value", "score_flips",
    "self_preference", "share", "share_below_diagonal", "share_identical", "share_interval",
    "share_of_sums", "spearman", "strengths", "subgroup_gap", "text_scores", "top_k_accuracy",
    "uniform_positions", "units_needed", "unscaled_preference", "variant_spread",
    "verdict_distance", "violations", "weighted_share_interval", "wilson", "wordnet_synonyms",
]
# fmt: on


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
