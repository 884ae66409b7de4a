/** Languages, their package managers, and programs that check or format code. */
export const CODE = String.raw`
python,pypy: [s] {code} < l -bBdEhIOPqsSuvVx -i! -WXQ= -c=s^ -m=/^ --check-hash-based-pycs= --version --help
python -m json.tool: r W --sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact --help
python -m unittest,doctest,compileall,py_compile,tabnanny,calendar,platform,sysconfig,tokenize,ast,dis,site,venv,ensurepip: r* -vqfbcks= -v -q -f -b -c -s= -p= -t= -k=
python -m http.server: t -bd= --bind= --directory= --cgi!
python -m pip|pip: / [h] -qvyU -t=! -i=! -e=/^(?!.*\.\.|\/)[\w.\/-]+(?:\[[\w,-]+\])?$/ -f=! -r=r -c=r --quiet --verbose --upgrade --no-cache-dir --requirement=r --constraint=r --target=! --prefix=! --root=! --index-url=! --extra-index-url=! --find-links=! --editable=/^(?!.*\.\.|\/)[\w.\/-]+(?:\[[\w,-]+\])?$/ --config-settings=! --global-option=! --install-option=! --log=W --python=! --trusted-host=! --user --no-deps --pre --format= --outdated
pip config|python -m pip config: /
pip config set,edit,unset|python -m pip config set,edit,unset: [!]
pip download,wheel: t* -d=W -w=W --dest=W --wheel-dir=W
pytest,py.test|python -m pytest: r* -vqsxlhVf -krmnWE= --maxfail= --tb= --durations= --lf --ff --sw --co --collect-only --last-failed --failed-first --stepwise --exitfirst --verbose --quiet --capture= --no-header --no-summary -p=/^no:/ -c=L -o=! --cov=? --cov-report=/^(?:term|term-missing|html|xml|json|lcov|annotate)$/ --pdbcls=! --pdb! --rootdir=d --confcutdir=! --junit-xml=W --junitxml=W --basetemp=W --config-file=L --override-ini=! --log-file=W --result-log=W --debug!=? --import-mode= --ignore= --deselect= --timeout= --numprocesses= --dist= --log-level= --log-cli-level= --showlocals --strict-markers --color= --randomly-seed= --pyargs --trace!
mypy|python -m mypy: /^(?!@)/* -vVp= -c=! -m= --strict --ignore-missing-imports --python-executable=! --config-file=L --junit-xml=W --install-types! --non-interactive! --any-exprs-report=W --cobertura-xml-report=W --html-report=W --linecount-report=W --linecoverage-report=W --lineprecision-report=W --txt-report=W --xml-report=W --xslt-html-report=W --xslt-txt-report=W --cache-dir=! --custom-typeshed-dir=! --custom-typing-module=! --package= --module= --python-version= --show-error-codes --no-incremental --pretty
ruff: / -qvsn --quiet --verbose --silent --config=! --isolated
ruff check: r* -eqvswn --fix~ --fix-only~ --unsafe-fixes --add-noqa~ --diff -o=W --output-file=W --output-format= --select= --ignore= --extend-select= --config=! --watch --statistics --preview --exit-zero --no-cache --cache-dir=! --target-version= --show-files --show-settings --exclude= --force-exclude --exit-non-zero-on-fix --ignore-noqa
ruff format: r*~ --check --diff --line-length= --config=! --exclude= --preview --quiet -q
black,isort|python -m black,isort: r*~ -qvltSC --check --diff --line-length= -l= -t= --config=! --profile= --exclude= --code=
autopep8,yapf: r* -i~ --in-place~ -rd --recursive --diff -p
pylint|python -m pylint: r* -rjedfE= -E --errors-only --disable= --enable= --load-plugins=L --init-hook=! --rcfile=L --output=W --output-format= --jobs=
flake8|python -m flake8: r* -qvj= --config=L --append-config=L --output-file=W --max-line-length= --ignore= --select= --exclude=
bandit: r*@ -r -o=W -c=L -f= -q -ll
pyright,basedpyright: r* -p=r -w --project=r --outputjson --watch --stats --verbose --level= --pythonversion= --pythonpath=! --venv-path=! --createstub=! --writebaseline!
coverage|python -m coverage: /
coverage run|python -m coverage run: l t* -ap -m=/^(?:pytest|unittest|nose2)$/^ --source= --branch --rcfile=L --omit= --include=
coverage report,html,xml,json,annotate: t* -mi -d=W -o=W --fail-under= --skip-covered --show-missing
node,nodejs: [s] {code} < l -ipr=L -ch -v -C= -e=s^ -p=s^ -i! -r=L --eval=s^ --print=s^ --check --require=L --import=L --loader=L --experimental-loader=L --interactive! --env-file=! --env-file-if-exists=! --inspect=/^\d*$/? --inspect-brk=/^\d*$/? --inspect-wait=/^\d*$/? --run=! --cpu-prof! --cpu-prof-dir=W --cpu-prof-name=W --heap-prof! --heap-prof-dir=W --heap-prof-name=W --diagnostic-dir=W --redirect-warnings=W --report-directory=W --title= --openssl-config=! --build-snapshot! --build-snapshot-config=! --snapshot-blob=W --icu-data-dir=! --watch --watch-path=! --watch-preserve-output --experimental-config-file=! --experimental-default-config-file! --test --test-only --test-concurrency= --test-name-pattern= --test-skip-pattern= --test-timeout= --test-shard= --test-coverage-include= --test-coverage-exclude= --experimental-test-coverage --test-reporter=/^(?:spec|tap|dot|junit|lcov)$/ --test-reporter-destination=/^std(?:out|err)$/ --test-global-setup=L --test-update-snapshots! --conditions= --enable-source-maps --max-old-space-size= --no-warnings --trace-warnings --trace-deprecation --experimental-strip-types --experimental-transform-types --experimental-vm-modules --experimental-sqlite --permission --expose-gc --input-type= --stack-trace-limit= --unhandled-rejections= --throw-deprecation --preserve-symlinks --version --help --v8-options --allow-fs-write=! --experimental-sea-config=!
tsx,ts-node,ts-node-esm,esno,bun-node: [s] {code} < l -r=L -e=s^ -p=s^ -P=r --eval=s^ --print=s^ --require=L --import=L --tsconfig=r --project=r --transpile-only --esm --files
deno: / -qhV
deno run,test,bench,check,lint,fmt,compile,info,doc,serve,task: l t* -qr -A! --allow-all! --allow-run!=? --allow-write!=? --allow-ffi!=? --allow-read=? --allow-net=? --allow-env=? --allow-sys=? --config=L -c=L --import-map=L --check=? --no-check=? --watch=? --output=W -o=W --cert=! --preload=L --env-file!=? --fix!
deno eval,repl,install,jupyter,upgrade: {code} s*! --ext= --print
perl: [s] {code} < l -cStTuUvVwWX0lC -np! -ad! -F= -e=s^ -E=s^ -i!~=? -IMm=! -x!=? -s
ruby,jruby: [s] {code} < l -acdhlsSUvwy -np! -CEF= -0KTW -e=s^ -r=L -I=! -i!~=? -x!=? --require=L --enable= --disable= --version --yjit --jit
php: [s] {code} < l -CHhilmnqvw -r=s^ -BRE=s!^ -F=L -a! -c=! -d=! -f=l -S=t -t= -z=! --run=s^ --version
lua,luajit,texlua: [s] {code} < l -vEW -e=s^ -i! -l=! -jOb=!
tclsh8: {tcl} l!
julia: [s] {code} < l -e=s^ -E=s^ -LJH=! -ptqiO= --eval=s^ --print=s^ --load=L --sysimage=! --project=? --threads=
R,Rscript: [s] {code} < l -e=s^ -f=L --file=L --vanilla --quiet --no-save --slave --no-restore
groovy,guile,elixir,iex,jshell,kotlinc,nim,dart,scala,kotlin,clojure,clj,bb,racket,sbcl,ocaml,runghc,ghci,swift: [s] {code} < l -e=s^ -rlc=! --eval=s^ --rpc-eval=s^ --load=L
erl: [1] {code} t* -eval=s! -run=! -s! -pa=! -pz=! -config=! -noshell
ghc: {code} /^(?!@)/* -e=s -o=W
gnuplot,octave: {code} < l -e=s! --eval=s!
osascript: {code} < l! -e=s! -l=
java: [1j] /^(?!@)/ -cp= -classpath= -jar=l -javaagent=! -agentlib=! -agentpath=! -XX=/^(?!.*(?:On|File|Path))/ -Xmx= -Xms= -D= -version -ea -p=
javac: [1j] /^(?!@)/* -d=W -cp= -s=W -h=W -processor=! -processorpath=! -J=! -Xlint=? -source= -target= --release=
npm,pnpm,yarn: / [h] -sqdDEOPBSw= -s -q -d -D -E -O -P -B -S -r -g! -C=d -c=x -F= -w= --silent --quiet --verbose --loglevel= --save-dev --save-exact --no-save --if-present --ignore-scripts --no-audit --no-fund --prefer-offline --offline --frozen-lockfile --immutable --legacy-peer-deps --force --omit= --include= --json --depth= --production --workspaces --workspace= --recursive --filter= --parallel --dry-run --color=? --version --script-shell=x --node-options=! --userconfig=! --globalconfig=! --shell=x --editor=x --viewer=x --browser=x --git=x --prefix=d --registry=! --cache=! --init-module=L --onload-script=L --cwd=d --modules-folder=! --global! --pnp! --use-yarnrc=! --call=x
npm,pnpm,yarn exec,x,dlx|yarn workspace,workspaces: p -y -p= -c=x --yes --package= --call=x -q --silent
npm,pnpm,yarn explore,edit,set-script,login,adduser,token,hook,owner,access: [!]
npm,pnpm,yarn config,c: /
npm,pnpm,yarn config,c set,edit,delete,fix,unset: [!] y* --location= --json --home!
npm,pnpm,yarn config,c get,list,ls: t*
npm,pnpm,yarn set: [!] y*
npm,pnpm,yarn pkg: /
npm,pnpm,yarn pkg set,delete,fix: [!] y*
npm,pnpm,yarn run,run-script,test,t,start,stop,restart: t* -s -w= --if-present --silent
npm,pnpm,yarn rm,uninstall,remove,un,unlink: t*
npm view,ls,list,outdated,why,explain,ping,search,root,prefix: t* -al --json --all --depth= --long --parseable
mix: /
mix cmd: j --app= --cd=d
mix run: {code} l t* -e=s! --eval=s! -r=L --require=L -S= --no-start --no-compile --no-halt
mix *: t*
bun: / [h] {code} -bi=! --cwd=d --config=L -c=L --preload=L -r=L --env-file=! -e=s^ -p=s^ --eval=s^ --print=s^ --silent --hot --watch --smol --registry=! --global! -g!
bun x: p --bun -p=
bun run,test: l t* --bun --if-present --coverage --bail=? --timeout= --watch --preload=L
bun build: r* --outdir=W --outfile=W --target= --minify --sourcemap=? --compile!
corepack: / 
corepack yarn,pnpm,npm: o
tsc,vue-tsc,tsgo: [1i] /^(?!@)/* -p=d -project=d -b -build -w -watch -noEmit -pretty -strict -listFiles -showConfig -init! -outDir=W -outFile=W -out=W -declarationDir=W -tsBuildInfoFile=W -generateTrace=W -generateCpuProfile=W -target= -t= -module= -m= -jsx= -lib= -esModuleInterop -skipLibCheck -incremental -noEmitOnError -declaration -d -v -version -h -help -all -rootDir= -baseUrl= -types= -moduleResolution= -plugins=! -force -f -dry -clean! -verbose -extendedDiagnostics -diagnostics -traceResolution -allowJs -checkJs
eslint: r* -hv -c=L --config=L -f=/^[\w@-]+$/ --format=/^[\w@-]+$/ -o=W --output-file=W --rulesdir=L --resolve-plugins-relative-to=! --plugin=! --parser=! --fix~ --fix-dry-run --fix-type= --ext= --max-warnings= --quiet --cache --cache-file=W --cache-location=W --cache-strategy= --no-eslintrc --rule= --env= --global= --ignore-path=r --ignore-pattern= --no-ignore --no-inline-config --report-unused-disable-directives --stdin --stdin-filename= --debug --color --no-color --init! --print-config= --exit-on-fatal-error --no-error-on-unmatched-pattern --pass-on-no-patterns --no-warn-ignored --parser-options= --concurrency= --flag= --stats --suppress-all! --suppressions-location=W
prettier: r* -clhu -w~ --write~ --check --list-different --plugin=L --config=L --plugin-search-dir=! --ignore-path=r --loglevel= --log-level= --parser= --no-config --no-editorconfig --single-quote --tab-width= --print-width= --cache --cache-location=W --stdin-filepath= --ignore-unknown --no-error-on-unmatched-pattern --config-precedence= --find-config-path= --support-info --version --help
biome: /
biome check,lint,format,ci: r* --write~ --apply~ --apply-unsafe~ --fix~ --unsafe --config-path=L --reporter= --staged --changed --since= --max-diagnostics= --error-on-warnings --no-errors-on-unmatched --files-ignore-unknown=? --colors= --formatter-enabled= --linter-enabled= --stdin-file-path= --diagnostic-level= --only= --skip= --verbose
phpunit,pest: r* -c=L --configuration=L --bootstrap=L --prepend=L --log-junit=W --coverage-html=W --coverage-clover=W --filter= --testsuite= --group= --stop-on-failure --testdox
nox: t* -f=L --noxfile=L -skt= -rRl --list --session= --sessions=
ava: r* --config=L -svw -m= --match= -T= --timeout= --tap --update-snapshots!
nyc: p -r=L --require=L --reporter= --report-dir=W --temp-dir=W -x= -n= --check-coverage --all --silent
sphinx-build: r w -b= -c=L -d=W -D= -A= -t= -WEanqQv -j=
pre-commit: / [h] -c=L --config=L
gunicorn: t* -c=L --config=L -bwkt= --bind= --workers= --reload --pid=W -p=W --access-logfile=W --error-logfile=W --log-file=W --chdir=d --pythonpath=!
alembic: / [h] -c=L --config=L
stylelint: r* -q -f=/^\w+$/ -o=W --fix~ --config=L --output-file=W --custom-formatter=L --custom-syntax=L --formatter=/^\w+$/ --cache --cache-location=W
oxlint,dprint,knip,publint,depcheck,madge,size-limit,markdownlint: r* -c=L --config=L --fix~ -f=
jest: r* -bitouwe -c=L --config=L --globalSetup=L --globalTeardown=L --testRunner=L --runner=L --transform=L --setupFiles=L --setupFilesAfterEnv=L --outputFile=W --reporters=/^(?:default|summary|github-actions|verbose)$/ --coverageDirectory=W --resolver=L --coverage=? --watch=? --watchAll=? --ci --runInBand --testNamePattern= -t= --testPathPattern= --testPathPatterns= --updateSnapshot --maxWorkers= --verbose --silent --bail=? --rootDir=d --testTimeout= --collectCoverageFrom= --json --onlyChanged --findRelatedTests --detectOpenHandles --forceExit --passWithNoTests --cacheDirectory=! --notify --env= --preset=L --moduleDirectories=! --filter=L --clearCache --no-cache --showConfig --listTests --coverageReporters= --shard= --projects= --selectProjects=
$VITEST -hvwu -c=L -r=d -t= --config=L --root=d --dir=d --outputFile=W --reporter=/^[\w-]+$/ --globals --run --watch=? --coverage=? --testNamePattern= --update --ui!=? --open!=? --bail= --retry= --pool= --maxWorkers= --minWorkers= --passWithNoTests --silent=? --changed=? --project= --environment=/^[\w-]+$/ --typecheck=? --exclude= --no-file-parallelism --isolate --no-isolate --hideSkippedTests --shard= --sequence.shuffle --testTimeout= --inspect!=? --inspect-brk!=? --globalSetup=L --setupFiles=L --configLoader=
vitest: / [h] $VITEST
vitest run,watch,dev,related,bench,list,typecheck,*: r*
mocha: r* -bcdfgstuiR= -r=L -R=/^[\w-]+$/ -b -i -u=/^[\w-]+$/ --require=L --config=L --file=L --package=L --opts=L --reporter=/^[\w-]+$/ --ui=/^[\w-]+$/ --grep= --timeout= --watch --bail --recursive --exit --parallel --spec=
playwright,cypress: / -V
playwright test: r* -gxj= -u -x -c=L --config=L --reporter=/^[\w,-]+$/ --headed --debug! --ui! --project= --grep= --workers= --update-snapshots=? --output=W --trace= --retries= --timeout= --list
turbo: / [h] --cwd=d
turbo exec: p --=p
webpack,rollup,parcel,vite,esbuild,babel,swc,tsup,next,nuxt,astro,nx-cloud|turbo *: t* -c=L -o=W -d=W -r=L -p=L --config=L --output-path=W --outfile=W --outdir=W --outDir=W --metafile=W --servedir=! --out-file=W --out-dir=W --require=L --dir=W --file=W --plugin=L --configPlugin=L --plugins=L --presets=L --config-file=L --mode= --watch --port= --host=?
gem: / -C=! --config-file=!
gem install,exec,push,update,unpack: [!]
rake: A* -nqstTvPA -f=L -e=! -E=! -r=L -I=! -R=! --rakefile=L --execute=! --require=L --libdir=! --tasks --trace
rspec,rubocop: r* -fIorP= -f= -I=! -o=W -r=L -P= -c=L --format= --out=W --require=L --config=L -a~ -A~ --autocorrect~ --autocorrect-all~ -x~
composer: / [h] -nqvd= -d=! --working-dir=! --no-scripts --no-dev
composer exec: p
composer config,global: [!]
`;
