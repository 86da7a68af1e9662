"""`distsampler check`: what TARGET names, how it is called, and what it is taken to promise."""

import pytest

from distsampler.check.convention import Construct, read_signature
from distsampler.check.inference import infer
from distsampler.check.loading import import_lines, load
from distsampler.check.recipe import Promises
from distsampler.check.refusal import TargetError
from distsampler.check.remainders import decide
from distsampler.check.reporter import results_of
from distsampler.check.target import Given, Target, parse
from distsampler.conformance import Case

MODULE = """
import functools
from torch.utils.data import DistributedSampler

class Derived(DistributedSampler):
    def __init__(self, dataset, factor=2, **more):
        super().__init__(dataset, **more)

class Positional(DistributedSampler):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)

class Fixed(DistributedSampler):
    def __init__(self, dataset, num_replicas=None, rank=None, **more):
        super().__init__(dataset, num_replicas, rank, shuffle=False, **more)

def strided(dataset, num_replicas, rank):
    return list(range(rank, len(dataset), num_replicas))

def careless(dataset, num_replicas, rank, **ignored):
    return strided(dataset, num_replicas, rank)

def mixed(dataset, num_replicas, rank):
    length = len(dataset)
    end = length // num_replicas * num_replicas if length > 8 else -(-length // num_replicas) * num_replicas
    return [index % length for index in range(rank, end, num_replicas)]

def sized(size, num_replicas, rank, batch_size):
    return range(size)

def rankless(dataset):
    return range(len(dataset))

drops = functools.partial(DistributedSampler, drop_last=True)

def batches(dataset, num_replicas, rank):
    return [[0, 1], [2, 3]]

class Unknown(DistributedSampler):
    def __len__(self):
        raise TypeError("nobody knows")

class Failing(DistributedSampler):
    def __iter__(self):
        if len(self.dataset) % self.num_replicas:
            raise OSError("no remainder here")
        return super().__iter__()

SHARED = []

def shared(dataset, num_replicas, rank):
    return SHARED

def number(dataset, num_replicas, rank):
    return 3

def broken(dataset, num_replicas, rank):
    return DistributedSampler(dataset, num_replicas, num_replicas)

def leaves(dataset, num_replicas, rank):
    raise SystemExit(3)

class Nested:
    strided = staticmethod(strided)

INSTANCE = DistributedSampler(range(3), 1, 0)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The path of a file with samplers, which leaves no trace on the import path."""
    monkeypatch.setattr("sys.path", __import__("sys").path.copy())
    path = tmp_path / f"samplers_of_{tmp_path.name}.py"
    path.write_text(MODULE)
    return path


def inferred(target, promises=Promises()):  # noqa: B008  (frozen)
    """Return what a target is taken to promise, and what is doubtful about that."""
    recipe, *seen = results_of(infer, (target, promises))
    if isinstance(recipe, TargetError):
        raise recipe
    return decide(recipe, seen) if promises.remainder is None else (recipe, "")


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("torch.utils.data:DistributedSampler", "torch.utils.data", "DistributedSampler"),
        ("a b/my sampler.py:Sampler", "a b/my sampler.py", "Sampler"),
        (r"C:\work\sampler.py:Sampler", r"C:\work\sampler.py", "Sampler"),
        ("module:Class.make", "module", "Class.make"),
    ],
)
def test_target_is_a_place_and_a_name(text, place, name):
    """The last colon separates them, whatever colons and spaces a path has."""
    assert parse(text) == Target(place, name)


@pytest.mark.parametrize(
    "text",
    [
        *("", "torch", "sampler.py", ":Sampler", "torch:", r"C:\work\sampler.py"),
        *("torch:a b", "a b:c", "1x:c", "torch:class", "torch:A.if"),
    ],
)
def test_text_of_another_form_is_refused(text):
    """What is no target is told with the form that is expected."""
    with pytest.raises(TargetError, match=r"expected package\.module:NAME or path/to/file\.py:NAME"):
        parse(text)


@pytest.mark.parametrize("folder", ["plain", "with space", "with.dot"])
@pytest.mark.parametrize("stem", ["neighbour_of_{}", "my sampler of {}", "sampler.v2.{}", "random"])
def test_file_is_loaded_whatever_it_is_called(module, folder, stem):
    """A file is imported by its path, also if its name is no identifier or that of another module."""
    path = module.parent / folder / f"{stem.format(folder)}.py"
    path.parent.mkdir()
    path.write_text(
        "import random\nNAME = __file__\nrandom.Random\n" if stem != "random" else "NAME = __file__"
    )
    assert load(Target(str(path), "NAME")) == str(path)


@pytest.mark.parametrize("is_package", [False, True])
def test_file_may_import_its_neighbours(module, is_package):
    """Relative and absolute imports beside the file work, in a package and in a plain folder."""
    folder = module.parent / f"folder_{is_package}"
    folder.mkdir()
    if is_package:
        (folder / "__init__.py").touch()
    (folder / "relative.py").write_text("from . import values\nVALUE = values.VALUE")
    (folder / "values.py").write_text("VALUE = 7")
    assert load(Target(str(folder / "relative.py"), "VALUE")) == 7


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("def", "SyntaxError: invalid syntax"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def __getattr__(name): raise RuntimeError('lazy')", "RuntimeError: lazy"),
    ],
)
def test_module_that_cannot_be_imported_is_refused(module, source, sentence):
    """The sentence has the error, and the traceback shows the target's own code and none of ours."""
    module.write_text(source)
    with pytest.raises(TargetError, match="cannot be imported") as refused:
        load(Target(str(module), "Sampler"))
    assert sentence in str(refused.value)
    assert module.name in refused.value.traceback
    assert "check/loading.py" not in refused.value.traceback


def test_missing_file_is_refused(tmp_path):
    """A path that is no file is told as such."""
    with pytest.raises(TargetError, match=r"nothing\.py is no file, expected the path of a Python file"):
        load(Target(str(tmp_path / "nothing.py"), "Sampler"))


def test_missing_name_is_told_with_what_is_there(module):
    """A name that is not there is answered with those that are, the most alike first."""
    with pytest.raises(TargetError, match=r"has no 'stridet', expected one of strided, "):
        load(Target(str(module), "stridet"))


@pytest.mark.parametrize(
    ("name", "named", "passed_on"),
    [
        ("Derived", ("num_replicas", "rank"), ("shuffle", "seed", "drop_last")),
        ("Positional", ("num_replicas", "rank"), ("shuffle", "seed", "drop_last")),
        ("strided", ("num_replicas", "rank"), ()),
    ],
)
def test_keywords_are_read_from_the_signature(module, name, named, passed_on):
    """What a class passes on to torch's counts, because torch's constructor names it."""
    signature = read_signature(Target(str(module), name))
    assert (signature.named, signature.inherited) == (named, passed_on)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("INSTANCE", "is of type DistributedSampler and cannot be called"),
        ("sized", "needs batch_size, expected what torch's constructor has; write def make"),
        ("rankless", "takes no num_replicas, expected num_replicas and rank; write def make"),
        ("shared", "returns the same object for rank 0 and rank 1"),
        ("number", "raises TypeError: 'int' object is not iterable, expected a sampler"),
        ("broken", "rank=0, raises ValueError: Invalid rank 2"),
        ("batches", "yields batches such as [0, 1], expected indices; check the sampler that it takes them"),
        ("leaves", "raises SystemExit: 3, expected a sampler that can be iterated"),
    ],
)
def test_target_that_cannot_be_used_is_refused(module, name, sentence):
    """One sentence says what is wrong with the target, and what is expected."""
    with pytest.raises(TargetError) as refused:
        inferred(Target(str(module), name))
    assert sentence in str(refused.value)
    assert "expected" in str(refused.value)


def test_contract_is_inferred_from_what_is_offered(module):
    """A subclass of torch's promises what torch's does; a list of every so many promises little."""
    recipe, doubt = inferred(Target(str(module), "Derived"))
    contract = recipe.contract
    assert (contract.remainders, contract.shuffles) == (("pad", "drop"), (False, True))
    assert (contract.epochs, contract.seed, contract.length, contract.process_group) == (True,) * 4
    assert (contract.resume, doubt) == (False, "")
    recipe, doubt = inferred(Target(str(module), "strided"))
    contract = recipe.contract
    assert (contract.remainders, contract.shuffles) == (("uneven",), (False,))
    assert (contract.epochs, contract.seed, contract.length, contract.process_group) == (
        False,
        False,
        True,
        False,
    )
    assert doubt == ""


def test_resume_and_uneven_are_inferred():
    """Our own sampler is seen to offer every remainder policy and to resume."""
    recipe, _ = inferred(Target("distsampler", "DistributedSampler"))
    assert recipe.contract.remainders == ("pad", "drop", "uneven")
    assert recipe.contract.resume


@pytest.mark.parametrize("name", ["careless", "Fixed"])
def test_keyword_that_does_nothing_is_not_offered(module, name):
    """What **kwargs swallow counts only if it has an effect, and what they refuse does not at all."""
    recipe, _ = inferred(Target(str(module), name))
    assert "shuffle" not in recipe.keywords
    assert recipe.contract.shuffles == (False,)


def test_argument_that_a_partial_binds_stays_bound(module):
    """What the caller has decided is not asked for otherwise."""
    recipe, doubt = inferred(Target(str(module), "drops"))
    assert "drop_last" not in recipe.keywords
    assert (recipe.contract.remainders, doubt) == (("drop",), "")


def test_length_that_is_a_type_error_is_not_offered(module):
    """Python says so of what has no length."""
    recipe, _ = inferred(Target(str(module), "Unknown"))
    assert not recipe.contract.length


def test_doubt_tells_of_passes_that_fail(module):
    """A sampler that raises wherever there is a remainder shows no policy, and the doubt says why."""
    _, doubt = inferred(Target(str(module), "Failing"))
    assert doubt.startswith("shows no remainder policy, since its passes fail (OSError: no remainder here)")


def test_sampler_that_pads_here_and_drops_there_keeps_no_policy(module):
    """The doubt names both policies with a case each, and which one the sampler is held to."""
    recipe, doubt = inferred(Target(str(module), "mixed"))
    assert recipe.contract.remainders == ("pad",)
    assert doubt == (
        "keeps no one remainder policy in small cases: pad in 19 (length=1 num_replicas=2), "
        "drop in 10 (length=10 num_replicas=3); it is checked as pad unless --remainder says otherwise"
    )


def test_promises_replace_what_would_be_inferred(module):
    """A remainder policy, no shuffling and no epochs are taken from who asks."""
    recipe, _ = inferred(Target(str(module), "Derived"), Promises("drop", shuffle=False, epochs=False))
    contract = recipe.contract
    assert (contract.remainders, contract.shuffles, contract.epochs) == (("drop",), (False,), False)


def test_arguments_ask_for_the_case():
    """A construct passes the keywords that its target has, with the values of the case."""
    construct = Construct(Given(dict), ("num_replicas", "rank", "seed", "drop_last", "make_even"))
    arguments = construct.arguments(Case(5, 3, seed=4, remainder="uneven"), 2)
    assert arguments == {"num_replicas": 3, "rank": 2, "seed": 4, "drop_last": False, "make_even": False}


@pytest.mark.parametrize(
    "stem", ["importable_{}", "not.importable {}", "my-sampler-{}", "my sampler {}", "2fast_{}", "lambda"]
)
def test_import_lines_work_elsewhere(module, stem, monkeypatch):
    """The lines that a script starts with import the same thing in a program in another folder."""
    path = module.parent / f"{stem.format(module.parent.name)}.py"
    path.write_text("class Sampler: pass")
    target = Target(str(path), "Sampler")
    load(target)
    monkeypatch.setattr("sys.path", [entry for entry in __import__("sys").path if entry != str(path.parent)])
    scope = {}
    exec("\n".join(["import importlib, runpy, sys", *import_lines(target)]), scope)  # noqa: S102  (our own)
    assert scope["Sampler"].__name__ == "Sampler"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("nowhere.at_all", "expected a module that is installed or lies in /"),
        ("torch.nowhere", "check the spelling and the folder"),
        ("imports_{}", "install what is missing"),
        ("{}.py", "install what is missing"),
        ("raises_{}", "expected a module that can be imported without running a program"),
    ],
)
def test_sentence_about_an_import_fits_its_cause(module, place, expected, monkeypatch):
    """A module that is not there, one that misses another, and one that fails are told apart."""
    name = module.parent.name
    (module.parent / f"imports_{name}.py").write_text("import nowhere.at_all")
    (module.parent / f"{name}.py").write_text("import nowhere.at_all")
    (module.parent / f"raises_{name}.py").write_text("1 / 0")
    monkeypatch.chdir(module.parent)
    with pytest.raises(TargetError) as refused:
        load(Target(place.format(name), "Sampler"))
    assert expected in str(refused.value)


def test_refusal_is_printable():
    """What a target's own code says goes to no terminal as it is."""
    refused = TargetError("it says \x1b[31m \udc80 größe", "line\nline \x07")
    assert str(refused) == "it says \\x1b[31m \\udc80 größe"
    assert refused.traceback == "line\nline \\x07"
