"""The scripted shop, loaded once, ADK's evaluation in a few words, and JSON spoiled everywhere."""

import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import spoiling

HERE = Path(__file__).parent


def load(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def scripted() -> ModuleType:
    """Scripted models and the shop's tools; importing ADK takes seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = load(HERE / "scripted.py", "passhat_test_scripted")
        import google.adk.evaluation.local_eval_service  # noqa: F401  # with no warning later
        import google.adk.runners  # noqa: F401
    return module


@pytest.fixture
def service(scripted: ModuleType) -> Any:
    """Runs an agent on an eval set over LocalEvalService, as ADK's own runners do."""

    async def run(
        agent: Any, evalset: Any, config: Any, *, app: Any = None, registry: Any = None
    ) -> list[Any]:
        from google.adk.evaluation.base_eval_service import (
            EvaluateConfig,
            EvaluateRequest,
            InferenceConfig,
            InferenceRequest,
        )
        from google.adk.evaluation.eval_config import EvalConfig, get_eval_metrics_from_config
        from google.adk.evaluation.eval_set import EvalSet
        from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
        from google.adk.evaluation.local_eval_service import LocalEvalService
        from google.adk.evaluation.metric_evaluator_registry import (
            DEFAULT_METRIC_EVALUATOR_REGISTRY,
            register_custom_metrics_from_config,
        )

        cases = EvalSet.model_validate(evalset)
        settings = EvalConfig.model_validate(config)
        manager = InMemoryEvalSetsManager()
        manager.create_eval_set("shop", cases.eval_set_id)
        for case in cases.eval_cases:
            manager.add_eval_case("shop", cases.eval_set_id, case)
        registry = register_custom_metrics_from_config(
            settings, registry or DEFAULT_METRIC_EVALUATOR_REGISTRY.fork()
        )
        local = LocalEvalService(
            root_agent=agent,
            app=app,
            eval_sets_manager=manager,
            metric_evaluator_registry=registry,
        )
        request = InferenceRequest(
            app_name="shop",
            eval_set_id=cases.eval_set_id,
            inference_config=InferenceConfig(parallelism=1),
        )
        found = [result async for result in local.perform_inference(request)]
        asked = EvaluateRequest(
            inference_results=found,
            evaluate_config=EvaluateConfig(eval_metrics=get_eval_metrics_from_config(settings)),
        )
        return [result async for result in local.evaluate(asked)]

    return run


@pytest.fixture(scope="session")
def spoiled() -> Any:
    """Every way to put something else in one place of a JSON value: the place, what, the whole."""
    return spoiling.spoiled
