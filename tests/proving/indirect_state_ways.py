"""More of the ways of `state_ways`: state that code reaches through others, and what looks as if it did."""

from __future__ import annotations

from .state_ways import StateWay

#: State that code changes which gets it by a callback, a table, a library or a name that it computes.
INDIRECT: dict[str, StateWay] = {
    "dispatch table": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        def grow_(values): values.append(3.0)
        ACTIONS_ = {'grow': grow_}
        def change_(net):
            ACTIONS_['grow'](net.items_)
        """,
    ),
    "callback list": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        HOOKS_ = []
        def on_(f):
            HOOKS_.append(f)
            return f
        @on_
        def grow_(values): values.append(3.0)
        def change_(net):
            for hook in HOOKS_:
                hook(net.items_)
        """,
    ),
    "thread args": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        def grow_(values): values.append(3.0)
        def change_(net):
            t = threading.Thread(target=grow_, args=(net.items_,)); t.start(); t.join()
        """,
    ),
    "arguments passed on": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        def grow_(values, v): values.append(v)
        def call_(f, *a, **k): return f(*a, **k)
        def change_(net):
            call_(grow_, net.items_, v=3.0)
        """,
    ),
    "map of function": StateWay(
        "self.rows_ = [[1.0], [2.0]]",
        "sum(self.rows_[0])",
        """
        def grow_(values): values.append(3.0)
        def change_(net):
            list(map(grow_, net.rows_))
        """,
    ),
    "weakref": StateWay(
        "self.opt_ = Opt_()",
        "self.opt_.rate",
        "weakref.ref(net.opt_)().rate = 3.0",
        before="""
        class Opt_:
            rate = 1.0
        """,
    ),
    "weak dict": StateWay(
        """
        self.opt_ = Opt_()
        ALL_[1] = self.opt_
        """,
        "self.opt_.rate",
        "ALL_[1].rate = 3.0",
        before="""
        ALL_ = weakref.WeakValueDictionary()
        class Opt_:
            rate = 1.0
        """,
    ),
    "module imported by its name": StateWay(
        "pass",
        "RATE_",
        """
        m = importlib.import_module(__name__)
        m.RATE_ = 3.0
        """,
        before="RATE_ = 1.0",
    ),
    "exec computed": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        name = 'rate_'
        exec(f'net.{name} = 3.0')
        """,
    ),
    "eval": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        "eval('net.items_.append(3.0)')",
    ),
    "exec global": StateWay(
        "pass",
        "RATE_",
        "exec('RATE_ = 3.0', globals())",
        before="RATE_ = 1.0",
    ),
    "__setstate__": StateWay(
        "self.opt_ = Opt_()",
        "self.opt_.rate",
        "net.opt_.__setstate__({'rate': 3.0})",
        before="""
        class Opt_:
            rate = 1.0
            def __setstate__(self, s):
                self.__dict__.update(s)
        """,
    ),
    "pickle load into": StateWay(
        "self.opt_ = Opt_()",
        "self.opt_.rate",
        "net.opt_.__dict__ = pickle.loads(pickle.dumps({'rate': 3.0}))",
        before="""
        class Opt_:
            def __init__(self): self.rate = 1.0
        """,
    ),
    "constructor called once more": StateWay(
        "self.opt_ = Opt_(1.0)",
        "self.opt_.rate",
        "net.opt_.__init__(3.0)",
        before="""
        class Opt_:
            def __init__(self, r): self.rate = r
        """,
    ),
    "another class": StateWay(
        "self.opt_ = A_()",
        "self.opt_.rate()",
        "net.opt_.__class__ = B_",
        before="""
        class A_:
            def rate(self): return 1.0
        class B_:
            def rate(self): return 3.0
        """,
    ),
    "context manager": StateWay(
        "self.opt_ = Opt_()",
        "self.opt_.rate",
        """
        with net.opt_:
            pass
        """,
        before="""
        class Opt_:
            rate = 1.0
            def __enter__(self): return self
            def __exit__(self, *a):
                self.rate = 3.0
        """,
    ),
    "str side effect": StateWay(
        "self.opt_ = Opt_()",
        "self.opt_.rate",
        "str(net.opt_)",
        before="""
        class Opt_:
            rate = 1.0
            def __str__(self):
                self.rate = 3.0
                return ''
        """,
    ),
    "del side effect": StateWay(
        "pass",
        "CFG_['rate']",
        """
        t = Temp_()
        del t
        """,
        before="""
        CFG_ = {'rate': 1.0}
        class Temp_:
            def __del__(self):
                CFG_['rate'] = 3.0
        """,
    ),
    "init side effect": StateWay(
        "pass",
        "CFG_['rate']",
        "Temp_()",
        before="""
        CFG_ = {'rate': 1.0}
        class Temp_:
            def __init__(self):
                CFG_['rate'] = 3.0
        """,
    ),
    "other net constructor": StateWay(
        "pass",
        "Net_.rate_",
        """
        class Other_:
            def __init__(self):
                Net_.rate_ = 3.0
        def change_(net):
            Other_()
        """,
        members="rate_ = 1.0",
    ),
    "instance counter": StateWay(
        "Net_.count_ += 1",
        "Net_.count_",
        "Net_()",
        members="count_ = 0",
    ),
    "registry of instances": StateWay(
        "ALL_.append(1.0)",
        "len(ALL_)",
        "Net_()",
        before="ALL_ = []",
    ),
    "init_subclass": StateWay(
        "pass",
        "len(REG_)",
        "type('S', (Base_,), {})",
        before="""
        REG_ = [1]
        class Base_:
            def __init_subclass__(cls): REG_.append(cls)
        """,
    ),
    "struct pack into": StateWay(
        "self.raw_ = bytearray(8)",
        "1.0 + self.raw_[0]",
        "struct.pack_into('B', net.raw_, 0, 5)",
    ),
    "frombuffer": StateWay(
        "self.raw_ = bytearray(8)",
        "1.0 + self.raw_[0]",
        "np.frombuffer(net.raw_, dtype='uint8')[0] = 5",
    ),
    "readinto": StateWay(
        "self.raw_ = bytearray(8)",
        "1.0 + self.raw_[0]",
        "io.BytesIO(b'zz').readinto(net.raw_)",
        before="import io",
    ),
    "array nditer": StateWay(
        "self.a_ = np.ones(4)",
        "float(self.a_[0])",
        """
        for v in np.nditer(net.a_, op_flags=['readwrite']):
            v[...] = 4
        """,
    ),
    "proxy class": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        "Proxy_(net).items_.append(3.0)",
        before="""
        class Proxy_:
            def __init__(self, o): self._o = o
            def __getattr__(self, n): return getattr(self._o, n)
        """,
    ),
    "proxy setattr": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "Proxy_(net).rate_ = 3.0",
        before="""
        class Proxy_:
            def __init__(self, o): object.__setattr__(self, '_o', o)
            def __setattr__(self, n, v): setattr(self._o, n, v)
        """,
    ),
    "tree that is walked": StateWay(
        "self.tree_ = {'v': 1.0, 'kids': [{'v': 2.0, 'kids': []}]}",
        "self.tree_['kids'][0]['v']",
        "walk_(net.tree_)",
        before="""
        def walk_(node):
            node['v'] += 1
            for kid in node['kids']:
                walk_(kid)
        """,
    ),
    "singledispatch": StateWay(
        "pass",
        "rate_(1)",
        "rate_.register(int, lambda v: 3.0)",
        before="""
        @functools.singledispatch
        def rate_(v): return 1.0
        """,
    ),
    "objects of the garbage collector": StateWay(
        "self.opt_ = Opt_()",
        "self.opt_.rate",
        """
        for o in gc.get_objects():
            if type(o) is Opt_:
                o.rate = 3.0
        """,
        before="""
        class Opt_:
            def __init__(self): self.rate = 1.0
        """,
    ),
    "locals of the caller": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        def deep_():
            inspect.currentframe().f_back.f_locals['net'].items_.append(3.0)
        def change_(net):
            deep_()
        """,
    ),
    "partial setattr": StateWay(
        """
        self.rate_ = 1.0
        self.put_ = functools.partial(setattr, self, 'rate_')
        """,
        "self.rate_",
        "net.put_(3.0)",
    ),
    "bound setattr": StateWay(
        """
        self.rate_ = 1.0
        self.put_ = self.__setattr__
        """,
        "self.rate_",
        "net.put_('rate_', 3.0)",
    ),
    "dict method stored": StateWay(
        """
        self.t_ = {'a': 1.0}
        self.put_ = self.t_.update
        """,
        "self.t_['a']",
        "net.put_(a=3.0)",
    ),
    "import of a global": StateWay(
        "pass",
        "pi_",
        """
        global pi_
        from math import pi as pi_
        """,
        before="pi_ = 1.0",
    ),
    "block in a global": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        def change_(net):
            global NET_
            NET_ = net
            poke_()
        def poke_():
            NET_.rate_ = 3.0
        """,
    ),
    "trainer object": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        class Trainer_:
            def __init__(self, **kw):
                self.__dict__.update(kw)
            def step(self):
                self.model.rate_ = 3.0
        def change_(net):
            Trainer_(model=net).step()
        """,
    ),
    "mock patch": StateWay(
        "pass",
        "rate_()",
        "mock.patch(__name__ + '.rate_', lambda: 3.0).start()",
        before="""
        from unittest import mock
        def rate_(): return 1.0
        """,
    ),
    "mock patch object": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "mock.patch.object(net, 'rate_', 3.0).start()",
        before="from unittest import mock",
    ),
    "argument of an exception": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        try:
            raise ValueError(net)
        except ValueError as e:
            e.args[0].rate_ = 3.0
        """,
    ),
    "attribute of an exception": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        class Stop_(Exception): pass
        def f_(net):
            e = Stop_(); e.net = net
            raise e
        def change_(net):
            try: f_(net)
            except Stop_ as e:
                e.net.rate_ = 3.0
        """,
    ),
    "queue put get": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        q = queue.Queue()
        q.put(net.items_)
        q.get().append(3.0)
        """,
    ),
    "contextvar list": StateWay(
        "pass",
        "sum(RATE_.get())",
        "RATE_.get().append(3.0)",
        before="RATE_ = contextvars.ContextVar('r', default=[1.0])",
    ),
    "observer": StateWay(
        """
        self.rate_ = 1.0
        BUS_.on(self.set_)
        """,
        "self.rate_",
        "BUS_.fire(3.0)",
        before="""
        class Bus_:
            def __init__(self): self.fs = []
            def on(self, f): self.fs.append(f)
            def fire(self, *a):
                for f in self.fs: f(*a)
        BUS_ = Bus_()
        """,
        members="def set_(self, v): self.rate_ = v",
    ),
    "generator of parts": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        def parts_(net):
            yield net
            for c in net._children.values():
                yield from parts_(c)
        def change_(net):
            for p in parts_(net):
                p.items_.append(3.0)
        """,
    ),
    "reduce setter": StateWay(
        "self.a_ = types.SimpleNamespace(b=types.SimpleNamespace(c=1.0))",
        "self.a_.b.c",
        "put_(net, 'a_.b.c', 3.0)",
        before="""
        def put_(obj, path, value):
            *heads, last = path.split('.')
            setattr(functools.reduce(getattr, heads, obj), last, value)
        """,
    ),
    "json config": StateWay(
        'self.t_ = json.loads(\'{"a": {"b": 1.0}}\')',
        "self.t_['a']['b']",
        "merge_(net.t_, {'a': {'b': 3.0}})",
        before="""
        def merge_(into, other):
            for k, v in other.items():
                if isinstance(v, dict):
                    merge_(into.setdefault(k, {}), v)
                else:
                    into[k] = v
        """,
    ),
    "dict holder": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        def step_(ctx):
            ctx['model'].rate_ *= 3.0
        def change_(net):
            step_({'model': net})
        """,
    ),
    "global def": StateWay(
        "pass",
        "rate_()",
        """
        global rate_
        def rate_(): return 3.0
        """,
        before="def rate_(): return 1.0",
    ),
    "cached property pop": StateWay(
        "self.base_ = 1.0",
        "self.rate_",
        """
        net.base_ = 4.0
        net.__dict__.pop('rate_', None)
        """,
        members="""
        @functools.cached_property
        def rate_(self): return self.base_
        """,
    ),
    "nonlocal via class": StateWay(
        "self.get_, self.put_ = mk_()",
        "self.get_()",
        "net.put_(3.0)",
        before="""
        def mk_():
            v = 1.0
            def get(): return v
            class P:
                def __call__(self, n):
                    nonlocal v
                    v = n
            return get, P()
        """,
    ),
    "memoryview": StateWay(
        "self.raw_ = bytearray(b'ab')",
        "float(self.raw_[0])",
        "memoryview(net.raw_)[0] = 5",
    ),
    "ctypes ptr": StateWay(
        "self.b_ = ctypes.c_double(1.0)",
        "self.b_.value",
        "ctypes.pointer(self_(net)).contents.value = 3.0",
        before="def self_(n): return n.b_",
    ),
    "lambda setattr": StateWay(
        """
        self.rate_ = 1.0
        self.put_ = lambda v: setattr(self, 'rate_', v)
        """,
        "self.rate_",
        "net.put_(3.0)",
    ),
    "closure over self": StateWay(
        """
        def put(v):
            self.rate_ = v
        self.rate_ = 1.0
        self.put_ = put
        """,
        "self.rate_",
        "net.put_(3.0)",
    ),
    "linked list": StateWay(
        "self.head_ = Node_(1.0, Node_(2.0, None))",
        "self.head_.next.v",
        """
        n = net.head_
        while n:
            n.v += 1
            n = n.next
        """,
        before="""
        class Node_:
            def __init__(self, v, next):
                self.v, self.next = v, next
        """,
    ),
    "tuple return": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        def get_(net): return 1, net.items_
        def change_(net):
            _, items = get_(net)
            items.append(3.0)
        """,
    ),
    "json file": StateWay(
        "PATH_.write_text('{\"r\": 1.0}')",
        "json.loads(PATH_.read_text())['r']",
        "PATH_.write_text(json.dumps({'r': 3.0}))",
        before="PATH_ = pathlib.Path(tempfile.mktemp())",
    ),
    "np file": StateWay(
        "np.save(PATH_, np.ones(2))",
        "float(np.load(PATH_)[0])",
        "np.save(PATH_, np.zeros(2) + 3)",
        before="PATH_ = tempfile.mktemp() + '.npy'",
    ),
    "file exists": StateWay(
        "pass",
        "2.0 if os.path.exists(PATH_) else 1.0",
        "open(PATH_, 'w').close()",
        before="PATH_ = tempfile.mktemp()",
    ),
    "attrgetter dotted": StateWay(
        "self.cfg_ = types.SimpleNamespace(rate=1.0)",
        "attrgetter('cfg_.rate')(self)",
        "net.cfg_.rate = 3.0",
    ),
    "eval formula": StateWay(
        """
        self.rate_ = 1.0
        self.formula_ = 'self.rate_'
        """,
        "eval(self.formula_)",
        "net.rate_ = 3.0",
    ),
    "shallow copy of object": StateWay(
        "self.v_ = types.SimpleNamespace(k=[1.0])",
        "sum(self.v_.k)",
        """
        t = copy.copy(net.v_)
        t.k.append(3)
        """,
    ),
    "early return before retrace": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        net.rate_ = 3.0
        if net.rate_ > 2:
            return
        net.hybridize()
        """,
    ),
    "metaclass call": StateWay(
        "pass",
        "Reg_.rate",
        "Reg_(3.0)",
        before="""
        class Meta_(type):
            def __call__(cls, v):
                cls.rate = v
        class Reg_(metaclass=Meta_):
            rate = 1.0
        """,
    ),
    "count instances": StateWay(
        "pass",
        "1.0 * Net_.n_",
        "Net_()",
        members="""
        n_ = 0
        def __new__(cls):
            cls.n_ += 1
            return super().__new__(cls)
        """,
    ),
    "patch by setattr on class loop": StateWay(
        "pass",
        "self.rate_()",
        """
        for k, f in {'rate_': lambda self: 3.0}.items():
            setattr(Net_, k, f)
        """,
        members="def rate_(self): return 1.0",
    ),
    "configparser set": StateWay(
        "pass",
        "CFG_.getfloat('m', 'rate')",
        "CFG_.set('m', 'rate', '3')",
        before="""
        CFG_ = configparser.ConfigParser()
        CFG_.read_dict({'m': {'rate': '1'}})
        """,
    ),
    "event": StateWay(
        "pass",
        "2.0 if FLAG_.is_set() else 1.0",
        "FLAG_.set()",
        before="FLAG_ = threading.Event()",
    ),
    "stringio": StateWay(
        """
        self.f_ = io.StringIO()
        self.f_.write('1')
        """,
        "float(self.f_.getvalue())",
        "net.f_.write('3')",
        before="import io",
    ),
    "retrace of child only": StateWay(
        """
        self.c_ = nn.HybridSequential()
        self.rate_ = 1.0
        """,
        "self.rate_",
        """
        net.rate_ = 3.0
        net.c_.hybridize()
        """,
    ),
    "retrace conditional": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        net.rate_ = 3.0
        if False:
            net.hybridize()
        """,
    ),
    "other hybridize": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        o = nn.Dense(1)
        net.rate_ = 3.0
        o.hybridize()
        """,
    ),
    "closure shared cell": StateWay(
        """
        self.get_, self.put_ = mk_(1.0)
        self.get2_, self.put2_ = mk_(2.0)
        """,
        "self.get_()",
        "net.put_(3.0)",
        before="""
        def mk_(v):
            def get(): return v
            def put(n):
                nonlocal v
                v = n
            return get, put
        """,
    ),
    "undo only": StateWay(
        """
        self.r_ = 1.0
        self.undo_ = [functools.partial(setattr, self, 'r_', 3.0)]
        """,
        "self.r_",
        "net.undo_.pop()()",
    ),
    "method map": StateWay(
        """
        self.r_ = [1.0]
        self.ops_ = {'add': self.r_.append}
        """,
        "sum(self.r_)",
        "net.ops_['add'](3.0)",
    ),
    "sort key side effect": StateWay(
        "self.a_ = [[1.0], [2.0]]",
        "sum(self.a_[0])",
        """
        def k(l):
            l.append(9)
            return 0
        sorted(net.a_, key=k)
        """,
    ),
    "kwargs dict": StateWay(
        "self.a_ = {'r': 1.0}",
        "self.a_['r']",
        """
        def f(**kw):
            kw['t']['r'] = 3.0
        f(t=net.a_)
        """,
    ),
}

#: State that nothing changes, beside code that does so to something like it.
UNTOUCHED: dict[str, StateWay] = {
    "other class same attr": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        o = Opt_()
        o.rate_ = 3.0
        """,
        before="""
        class Opt_:
            rate_ = 1.0
        """,
    ),
    "self of other class": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "Opt_().set(3.0)",
        before="""
        class Opt_:
            rate_ = 1.0
            def set(self, v): self.rate_ = v
        """,
    ),
    "optimizer param": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "run_(Opt_())",
        before="""
        class Opt_:
            rate_ = 1.0
        def run_(opt):
            opt.rate_ = 3.0
            opt.step = 1
        """,
    ),
    "opt in list": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        for o in [Opt_(), Opt_()]:
            o.rate_ = 3.0
        """,
        before="""
        class Opt_:
            rate_ = 1.0
        """,
    ),
    "history of trainer": StateWay(
        "self.h_ = [1.0]",
        "self.h_[0]",
        """
        t = Tr_()
        t.step()
        t.h_.append(2)
        """,
        before="""
        class Tr_:
            def __init__(self): self.h_ = []
            def step(self): self.h_.append(1.0)
        """,
    ),
    "dict of lists": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        log = {'items_': []}
        log['items_'].append(3.0)
        """,
    ),
    "defaultdict of lists": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        log = defaultdict(list)
        for v in net.items_:
            log[v].append(v)
        """,
    ),
    "sorted copy": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        s = sorted(net.items_)
        s.pop()
        """,
    ),
    "list comprehension of": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        s = [v * 2 for v in net.items_]
        s.clear()
        """,
    ),
    "tuple": StateWay(
        "self.t_ = (1.0, 2.0)",
        "sum(self.t_)",
        """
        s = list(net.t_)
        s.append(1)
        """,
    ),
    "json roundtrip": StateWay(
        "self.t_ = {'a': {'b': 1.0}}",
        "self.t_['a']['b']",
        """
        t = json.loads(json.dumps(net.t_))
        t['a']['b'] = 3.0
        """,
    ),
    "deepcopy net": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        o = copy.deepcopy(net.__dict__.get('rate_'))
        o += 1
        """,
    ),
    "new net": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        o = Net_()
        o.rate_ = 4.0
        o.initialize()
        """,
    ),
    "stringify": StateWay(
        "self.t_ = {'a': 1.0}",
        "self.t_['a']",
        "print(', '.join(f'{k}={v}' for k, v in net.t_.items()))",
    ),
    "np copy": StateWay(
        "self.a_ = np.ones(3)",
        "float(self.a_[0])",
        """
        a = net.a_ + 0
        a[0] = 7
        b = np.array(net.a_)
        b.sort()
        c = net.a_.astype('f4')
        c[:] = 0
        """,
    ),
    "nd copy": StateWay(
        "self.a_ = nd.ones((1,))",
        "float(self.a_.asscalar())",
        """
        a = net.a_.copy()
        a[:] = 7
        b = net.a_ * 2
        b += 1
        """,
    ),
    "environment other": StateWay(
        "pass",
        "float(os.environ.get('RATEY_', '1.0'))",
        "os.environ['OTHER_'] = '2'",
    ),
    "other global": StateWay(
        "pass",
        "CFG_['a']",
        """
        OTH_['a'] = 2.0
        OTH_.update(a=3)
        """,
        before="""
        CFG_ = {'a': 1.0}
        OTH_ = {'a': 1.0}
        """,
    ),
    "shadowed local": StateWay(
        "pass",
        "RATE_",
        """
        RATE_ = 3.0
        return RATE_
        """,
        before="RATE_ = 1.0",
    ),
    "training metrics": StateWay(
        "self.m_ = {'a': 1.0}",
        "self.m_['a']",
        """
        class Meter_:
            def __init__(self): self.reset()
            def reset(self):
                self.sum = 0; self.n = 0
            def update(self, v):
                self.sum += v; self.n += 1
        def change_(net):
            m = {'loss': Meter_()}
            for k in m:
                m[k].update(1.0)
            m['a'] = 2.0
        """,
    ),
    "cache filled by pass": StateWay(
        "self.c_ = {}",
        "self.get_(2)",
        "return net.c_.get(2)",
        members="""
        def get_(self, k):
            if k not in self.c_:
                self.c_[k] = float(k)
            return self.c_[k]
        """,
    ),
    "hybridize after": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        net.rate_ = 3.0
        net.hybridize()
        """,
    ),
    "setter hybridizes": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "net.set_(3.0)",
        members="""
        def set_(self, v):
            self.rate_ = v
            self.hybridize(self._active)
        """,
    ),
    "setter clears": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "net.set_(3.0)",
        members="""
        def set_(self, v):
            self.rate_ = v
            self._clear_cached_op()
        """,
    ),
    "argparse": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        a = argparse.Namespace()
        a.rate_ = 3.0
        """,
        before="import argparse",
    ),
    "kwargs pop": StateWay(
        "self.k_ = dict(a=1.0)",
        "self.k_['a']",
        """
        def f(**kw):
            kw.pop('a')
            kw['a'] = 3
        f(**net.k_)
        """,
    ),
    "star args list": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        def f(*a):
            a = list(a)
            a.append(2)
        f(*net.items_)
        """,
    ),
    "reads by property": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        "return net.n_, net.last_",
        members="""
        @property
        def n_(self): return len(self.items_)
        @property
        def last_(self): return self.items_[-1]
        """,
    ),
    "str building": StateWay(
        "self.names_ = ['a', 'b']",
        "float(len(self.names_))",
        """
        s = ''
        for n in net.names_:
            s += n
        return s
        """,
    ),
    "iter of list": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        it = iter(net.items_)
        next(it)
        """,
    ),
    "visitor": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        class Vis_:
            def __init__(self): self.items_ = []
            def visit(self, n):
                self.items_.append(n.name)
                for c in n._children.values(): self.visit(c)
        def change_(net):
            Vis_().visit(net)
        """,
    ),
    "optimizer state dict": StateWay(
        "self.s_ = {'lr': 1.0}",
        "self.s_['lr']",
        """
        class Opt_:
            def __init__(self, net): self.s_ = dict(net.s_)
            def step(self): self.s_['lr'] *= 0.1
        def change_(net):
            Opt_(net).step()
        """,
    ),
    "yaml merge copies": StateWay(
        "self.t_ = {'a': 1.0}",
        "self.t_['a']",
        "merge_(net.t_, {'a': 3.0})",
        before="""
        def merge_(base, other):
            out = dict(base)
            for k, v in other.items():
                out[k] = v
            return out
        """,
    ),
    "lock": StateWay(
        """
        self.lock_ = threading.Lock()
        self.rate_ = 2.0
        """,
        "self.rate_",
        """
        with net.lock_:
            print(net.rate_)
        """,
    ),
    "weights init": StateWay(
        """
        self.d_ = nn.Dense(2)
        self.k_ = 2.0
        """,
        "self.k_",
        """
        net.d_.weight.lr_mult = 3.0
        net.collect_params().reset_ctx(mx.cpu())
        """,
    ),
    "logging": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        logging.info('%s', net.items_)
        print(*net.items_, sep=',')
        """,
        before="import logging",
    ),
    "save params": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        p = tempfile.mktemp()
        net.save_parameters(p)
        net.load_parameters(p)
        """,
    ),
    "kv dataset": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        """
        class Data_(gluon.data.Dataset):
            def __init__(self, n):
                self.items_ = [0] * n
            def __len__(self): return len(self.items_)
            def __getitem__(self, i): return self.items_[i]
            def shuffle(self): random.shuffle(self.items_)
        def change_(net):
            d = Data_(3); d.shuffle()
        """,
    ),
    "subclass counter": StateWay(
        "self.n_ = 3",
        "self.n_ * 1.0",
        """
        c = Counter()
        c.n_ = 4
        c.update('ab')
        """,
    ),
    "same name param": StateWay(
        "self.items_ = [1.0, 2.0]",
        "sum(self.items_)",
        "extend_([1], [2])",
        before="""
        def extend_(items_, more):
            items_.extend(more)
            return items_
        """,
    ),
    "swap locals": StateWay(
        "self.a_, self.b_ = 1.0, 2.0",
        "self.a_",
        """
        a, b = net.a_, net.b_
        a, b = b, a
        """,
    ),
    "helper function in init": StateWay(
        "_setup_(self, 1.0)",
        "self.rate_",
        "pass",
        before="""
        def _setup_(net, r):
            net.rate_ = r
            net.log_ = []
        """,
    ),
    "refresh helper": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        def refresh(n):
            n.hybridize()
        net.rate_ = 3.0
        refresh(net)
        """,
    ),
    "env other": StateWay(
        "pass",
        "float(os.environ.get('QQ_', '1'))",
        """
        os.environ['ZZ_'] = '3'
        os.environ.setdefault('YY_', '1')
        """,
    ),
    "shallow copy attr": StateWay(
        "self.o_ = types.SimpleNamespace(r=1.0)",
        "self.o_.r",
        """
        t = copy.copy(net.o_)
        t.r = 3.0
        """,
    ),
    "replace dataclass": StateWay(
        "self.o_ = O_()",
        "self.o_.r",
        """
        o = dataclasses.replace(net.o_, r=3.0)
        o.r = 4.0
        """,
        before="""
        @dataclasses.dataclass
        class O_:
            r: float = 1.0
        """,
    ),
    "asdict": StateWay(
        "self.o_ = O_()",
        "self.o_.r",
        """
        o = dataclasses.asdict(net.o_)
        o['r'] = 4.0
        """,
        before="""
        @dataclasses.dataclass
        class O_:
            r: float = 1.0
        """,
    ),
    "class attr shadowed": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "Net_.rate_ = 3.0",
        members="rate_ = 2.0",
    ),
    "local shadows global": StateWay(
        "pass",
        "RATE_",
        """
        def inner():
            RATE_ = 3.0
            return RATE_
        inner()
        """,
        before="RATE_ = 1.0",
    ),
    "param shadows global": StateWay(
        "pass",
        "CFG_['a']",
        """
        def inner(CFG_):
            CFG_['a'] = 3.0
        inner({})
        """,
        before="CFG_ = {'a': 1.0}",
    ),
    "setter of a property clears": StateWay(
        "self._r_ = 1.0",
        "self._r_",
        "net.r_ = 3.0",
        members="""
        @property
        def r_(self): return self._r_
        @r_.setter
        def r_(self, v):
            self._r_ = v
            self._clear_cached_op()
        """,
    ),
    "early stop class": StateWay(
        "self.best_ = 2.0",
        "self.best_",
        """
        s = Stop_()
        s(1.0)
        s(0.5)
        """,
        before="""
        class Stop_:
            def __init__(self): self.best_ = None
            def __call__(self, v):
                if self.best_ is None or v < self.best_:
                    self.best_ = v
        """,
    ),
    "stack of nets": StateWay(
        "self.k_ = [2.0]",
        "self.k_[0]",
        """
        stack = [net]
        out = []
        while stack:
            n = stack.pop()
            out.append(n.name)
            stack.extend(n._children.values())
        """,
    ),
    "callback collects": StateWay(
        "self.k_ = [2.0]",
        "self.k_[0]",
        """
        seen = []
        net.apply(lambda b: seen.append(b.name))
        """,
    ),
    "hook collects": StateWay(
        "self.k_ = [2.0]",
        "self.k_[0]",
        """
        seen = []
        h = net.register_forward_hook(lambda b, i, o: seen.append(o.shape))
        net(nd.ones((2, 2)))
        h.detach()
        """,
    ),
    "thread reading": StateWay(
        "self.k_ = [2.0]",
        "self.k_[0]",
        """
        out = []
        def work(n):
            out.append(sum(n.k_))
        t = threading.Thread(target=work, args=(net,)); t.start(); t.join()
        """,
    ),
    "np where": StateWay(
        "self.a_ = np.ones(3)",
        "float(self.a_[0])",
        """
        b = np.where(net.a_ > 0, net.a_, 0)
        b[0] = 7
        c = net.a_.tolist()
        c[0] = 5
        d = np.concatenate([net.a_, net.a_])
        d[:] = 0
        e = net.a_[[0, 1]]
        e[0] = 8
        """,
    ),
    "json dump": StateWay(
        "self.t_ = {'a': [1.0]}",
        "self.t_['a'][0]",
        """
        with open(tempfile.mktemp(), 'w') as f:
            json.dump(net.t_, f)
        t = json.loads(json.dumps(net.t_))
        t['a'].append(2)
        """,
    ),
    "counter arith": StateWay(
        "self.t_ = Counter('aab')",
        "self.t_['a'] * 1.0",
        """
        c = net.t_ + Counter('b')
        c['a'] = 0
        d = Counter(net.t_)
        d.subtract('a')
        e = net.t_.copy()
        e.clear()
        """,
    ),
    "meter nonlocal": StateWay(
        "self.c_ = mk_()",
        "self.c_(2.0)",
        """
        a, b = mtr_()
        b(3)
        """,
        before="""
        def mk_():
            total = 1.0
            def f(v): return v * total
            return f
        def mtr_():
            total = 0.0
            def get(): return total
            def put(v):
                nonlocal total
                total += v
            return get, put
        """,
    ),
    "contextvar other": StateWay(
        "pass",
        "A_.get()",
        "B_.set(3.0)",
        before="""
        A_ = contextvars.ContextVar('a', default=1.0)
        B_ = contextvars.ContextVar('b', default=1.0)
        """,
    ),
}
