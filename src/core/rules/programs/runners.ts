/** Programs that run others: deny and ask rules see through all of them, allow rules through those marked with `T`. */
export const RUNNERS = `
timeout:: [T] t p -vfp -ks= --foreground --preserve-status --verbose --kill-after= --signal=
time:: [T] p -pvq -a! -f= -o=W --portability --verbose --quiet --append! --format= --output=W
nice:: [T] p -# -n= --adjustment=
nohup:: [T] p
stdbuf:: [T] p -ioe= --input= --output= --error=
noglob,linux32,linux64,i386,x86_64,catchsegv,unbuffer,torsocks,torify,dbus-run-session,busybox,toybox,entr,chronic,eatmydata,fakechroot,nocache,dbus-launch,optirun,primusrun,prime-run,gamemoderun,setlock: p -cdnprsxz
env: a* p -i0v -uC= --ignore-environment --null --debug --unset= --chdir= -S=x --split-string=x --block-signal=? --default-signal=? --ignore-signal=? --list-signal-handling -a= --argv0=
sudo: a* p -AbBEeHKklnPSsVvi -ACDghpRrTtUu= --background --preserve-env=? --non-interactive --stdin --login --set-home --shell --askpass --edit --list --reset-timestamp --remove-timestamp --validate --user= --group= --host= --prompt= --chdir= --chroot= --role= --type= --other-user= --close-from= --command-timeout=
sudoedit: r*!
doas: a* p -nsL -uC=
run0,dzdo,please: a* p -u= -g= -D= --user= --group= --chdir= --unit= --setenv= --background= --nice=
pkexec: p --user= --disable-internal-agent --keep-cwd
runuser: t p -flmP -gGsTw= -u=t^ -c=x --user=t^ --group= --command=x --shell= --login --session-command=x
su: t p -flmP -ugGsTw= -c=x --command=x --session-command=x --shell= --group= --login --preserve-environment
sg: t j -c=x
newgrp: {sh} < t j -c=x
setsid: p -cfw --ctty --fork --wait
setpriv: p -d --nnp --no-new-privs --clear-groups --keep-groups --init-groups --reset-env --reuid= --regid= --ruid= --euid= --groups= --inh-caps= --bounding-set= --ambient-caps= --securebits= --pdeathsig= --selinux-label= --apparmor-profile= --landlock-access= --landlock-rule=
ionice: p -t -cnpPu= --class= --classdata= --ignore
chrt: t p -abdefimoRrv -TPDp= --pid=
taskset: t p -ac --all-tasks --cpu-list -p=
numactl: p -Hs -NCmip= --cpunodebind= --membind= --physcpubind= --interleave= --preferred= --localalloc
prlimit: p -p= -o= --pid= --nofile= --cpu= --as=
cpulimit: p -z -lpe= --limit=
setarch: t p -RvFILSTXZB
chroot: t p --userspec= --groups= --skip-chdir
unshare: p -muinpUCTfrcZ -SGRw= --mount=? --uts=? --ipc=? --net=? --pid=? --user=? --cgroup=? --time=? --fork --map-root-user --map-current-user --mount-proc=? --kill-child=? --setuid= --setgid= --root= --wd= --map-user= --map-group= --map-users= --propagation= --keep-caps
nsenter: p -aFmuinpUCTrwZ -tSG= --target= --all --mount=? --uts=? --ipc=? --net=? --pid=? --user=? --setuid= --setgid= --root=? --wd=? --no-fork --preserve-credentials
bwrap: p --chdir= --uid= --gid= --hostname= --dev= --proc= --tmpfs= --mqueue= --dir= --unsetenv= --setenv=tt --cap-drop= --cap-add= --bind=tt --ro-bind=tt --dev-bind=tt --bind-try=tt --ro-bind-try=tt --symlink=tt --file=tt --bind-data=tt --ro-bind-data=tt --chmod=tt --seccomp= --args= --exec-label= --file-label= --lock-file= --unshare-all --unshare-user --unshare-net --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup --share-net --die-with-parent --new-session --clearenv --as-pid-1 --perms= --size= --remount-ro= --overlay-src= --tmp-overlay= --userns= --pidns= --info-fd= --json-status-fd= --block-fd= --sync-fd=
firejail,fakeroot,proot: p -lisb= --quiet --private=?
flock: t p -senuxoF -wE= -c=x --shared --exclusive --nonblock --nb --unlock --close --no-fork --timeout= --wait= --conflict-exit-code= --command=x --verbose
watch: j -bcdegptvxwCr -nq= --beep --color --differences=? --errexit --chgexit --no-title --exec --no-wrap --precise --interval= --equexit=
script: W t* -aefq -E= -I=W -O=W -B=W -T=W -m= -o= -c=x --command=x --append --flush --quiet --return --log-in=W --log-out=W --log-io=W --log-timing=W
scriptreplay: r*
strace: p -cCdDfFhikqrtTvVwxyzZ -aeEIpPsSuUXb= -oO=W --output=W --trace= --follow-forks --attach=
ltrace: p -cCfhiLrStTV -aeDFlnpsuwx= -o=W --output=W
gdb,gdb-multiarch: [1] {debugger} < l t* -args=p -p= -batch -q -n -x=L -ex=s! -iex=s! -eval-command=s! -command=L
lldb: {debugger} < l t* -b -p= -o=s! -O=s! -s=L --one-line=s! --source=L --=p
valgrind,rr,heaptrack: p -qv --tool= --leak-check=? --track-origins= --log-file=W --error-exitcode=
perf: /
perf record,stat,trace: p -agF= -o=W -e= -p=
rlwrap: p -abCDfgHiloOpPsSqtwWz=
faketime: t p -mf
proxychains,proxychains4,tsocks: p -q -f=!
xvfb-run,xvfb-run-safe: p -al -eflnps= --auto-servernum --server-args= --server-num=
systemd-run: p -GPSdqrt -uMHE= -p=y --user --system --scope --wait --pty --pipe --quiet --collect --same-dir --no-block --shell! --unit= --property=y --description= --slice= --machine= --host= --setenv= --uid= --gid= --nice= --working-directory= --on-active= --on-calendar= --timer-property=
systemd-inhibit: p --what= --who= --why= --mode=
systemd-nspawn: p -abqxU -DMiu= --directory= --machine= --image= --user= --bind= --as-pid2
machinectl: /
machinectl shell,login: t p -u= --uid= --setenv= -q
cgexec: p -g= --sticky
caffeinate: p -dimsu -tw=
xargs: [+] < p -0oprtx -aEdLnPs= -I= -i=? --null --open-tty --interactive --no-run-if-empty --verbose --exit --show-limits --arg-file=q -a=q --delimiter= --replace=? --max-lines=? --max-args= --max-procs= --max-chars= --process-slot-var= -e=? -l=?
parallel,sem,rush: [+] {sh} < j -0kmqtuvX --dry-run -aCdEIjJLnNPSs= --jobs= --arg-file=q --delay= --timeout= --colsep= --sshlogin=! --keep-order --bar --halt= --tag --line-buffer --progress --joblog=W --results=W
watchexec: j -cNnrqv -wefiods= --watch= --exts= --ignore= --restart --clear=?
nodemon: l t* -x=x --exec=x -wei= --watch= --ext= --ignore= -q --quiet -r=L -V -I -C -d= -L --delay= --inspect=/^d*$/? --no-colors --verbose --legacy-watch --signal= -s= --on-change-only --config=L --spawn --exitcrash --polling-interval=
ssh,autossh,slogin: {sh} < t j -46AaCfGgKkMNnqsTtVvXxYy -BbcDeiJLlmOpQRSWw= -I=! -E=W -F=! -o=y
mosh: t j --ssh=x --port=
sshpass: p -vd -pf= -e
bunx: [P] p -p= --bun --silent --verbose --package=
npx,pnpx: [P] p -yq -pcw= -c=x --call=x --yes --no --no-install --quiet --ignore-existing --package= --workspace=
uvx: p -q --from= --with= --python= -p= --isolated --no-cache
pipx: /
pipx run: p -q --spec= --python= --verbose
uv: / -qvn --quiet --verbose --offline --no-cache --directory=d --project=d --config-file=! --cache-dir=! --no-progress --color=
uv run: [P] p -qvm -p= --with= --python= --extra= --group= --all-extras --all-groups --frozen --locked --no-sync --isolated --package= --env-file=! --no-project --directory=d --project=d --with-editable=! --with-requirements=! --dev --no-dev --only-group= --active --exact --script --offline --refresh
uv *: t* -qvnUe= -p= --python= --dev --group= --extra= --upgrade --frozen --locked --index-url=! --extra-index-url=! --default-index=! --index=! --find-links=! -o=W --output-file=W --target=! --prefix=! --system! --python-preference= -v -q -r=r -c=r -e=d -f -k= --requirement=r --requirements=r --constraint=r --constraints=r --editable=d --optional= --no-dev --only-dev --no-group= --only-group= --all-groups --all-extras --no-extra= --no-editable --inexact --exact --no-sync --no-install-project --no-install-workspace --active --package= --all-packages --refresh --refresh-package= -P= --upgrade-package= --reinstall --reinstall-package= --prerelease= --resolution= --no-cache --offline --script=l --raw-sources --rev= --tag= --branch= --bounds= --check --dry-run --locked --quiet --verbose --no-header --no-annotate --generate-hashes --format= --outdated --strict --universal --depth= --prune= --no-dedupe --invert --tree --show-urls --no-progress --color= --bare --app --lib --name= --description= --build-backend= --vcs= --no-readme --no-workspace --author-from= --seed --prompt= --allow-existing --clear --relocatable --all --all-versions --only-installed --only-downloads --no-build --no-binary= --only-binary= --no-deps --no-build-isolation --link-mode= --compile-bytecode --require-hashes --no-verify-hashes --break-system-packages! --frozen --no-sources --no-index --wheel --sdist --out-dir=W --build-logs=? --bump= --short --output-format= --preview --managed-python --no-managed-python --no-python-downloads --native-tls --python-platform= --python-version= --exclude-newer= --index-strategy= --keyring-provider=! --config-setting=! --directory=d --project=d --allow-insecure-host=! --git=!
uv pip,tool,python,cache: /
uv tool install,upgrade,update-shell: [!]
uv tool run: p -q --from= --with= --python=
pipenv,pdm,rye,devbox,pixi: /
bundle,bundler: / --gemfile=! --no-color --verbose --version --help -v
bundle,bundler install,update,add,remove,check,list,show,info,outdated,open,lock,clean,doctor,cache,package,pristine,platform,viz,licenses,audit,env,help,binstubs,init,gem,fund,version: t* -jrlgpbwf= -v -q -a --jobs= --retry= --quiet --local --no-color --deployment --frozen --without= --with= --clean --full-index --no-cache --no-prune --redownload --force --system! --path=W --binstubs=? --trust-policy= --conservative --all --group= --ruby --bundler=? --patch --minor --major --strict --parseable --porcelain --filter-strict --only-explicit --filter-patch --groups --pre --source= --version= --skip-install --optimistic --require= --name-only --paths --outdated --dry-run --add-platform= --remove-platform= --normalize-platforms --update=? --print --lockfile=! --gemfile=! --git=! --github=! --gitlab=! --shebang=! --target-rbconfig=! --standalone=? --all-platforms --no-install --cache-path=W --only-group= --without-group=
bundle,bundler config: /
bundle,bundler config get,list: t*
bundle,bundler config set,unset: [!]
bundle,bundler plugin,console,inject: [!]
hatch: / -e= -p= -qv --env= --project= --config=! --data-dir=! --cache-dir=! --interactive --no-interactive --color --no-color --version
poetry: / [h] -nqv -C=d -P=d --project=d --directory=d --no-interaction --no-plugins --no-cache --quiet --verbose --ansi --no-ansi --version --help -h -V -vv -vvv -G= -E= -D --group= --with= --without= --only= --only-root --no-root --no-dev --dev --sync --all-extras --all-groups --extras= --compile --dry-run --lock --no-update --regenerate --check --tree --latest -l -o -T --top-level --outdated --why --all --short --format= --output=W -o=W --without-hashes --with-credentials --optional --editable --python= --platform= --source=! --allow-prereleases --markers= --next-phase -s --path --full-path --no-directory --quiet --version --local --strict
poetry add,install,update,remove,lock,show,build,check,version,env,init,new,export,sync,about,search,list,cache,debug,help: [o] t*
poetry publish,config,self,source: [!]
tox: / [h] -c=L --conf=L -x=y --override=y --root=! --workdir=W --installpkg=! --result-json=W -e= -m= -f= -p=? --parallel=? -vqro --recreate --runner= --notest --skip-env= --discover=! --sitepackages --skip-pkg-install --skip-missing-interpreters=? --colored= --version --help
tox run,r,run-parallel,p,list,l,config,c,devenv,d,depends,de,legacy,le,quickstart,q|tox *: t*
task,go-task: t* -t=L --taskfile=L -d=d --dir=d -g! --global! -o= --output= -C= --concurrency= -pfsvwnlaxyi --list --list-all --summary --dry --force --silent --watch --parallel --verbose --yes --interval= --status --exit-code --init! --=o
poetry,pipenv,pdm,rye,devbox,hatch,pixi run|tox exec,e|bundle,bundler exec,e: [P] p -qvn -C=! -P=! --project=! --directory=!
hatch env: /
hatch env run: p --=p -e= --env= -i= -x= -f= --filter=
poetry,pipenv,hatch,pdm,rye,devbox,pixi,bundle,bundler shell: !*
asdf,mise: /
asdf,mise exec,x: t* -q -v --=p -c=x --command=x -C=!
asdf exec: p
direnv: /
direnv exec: t p
dotenv,dotenvx: / -ef= --=p
dotenvx run: o -f= -e= --=p
cross-env,cross-env-shell: a* p
concurrently,run-p,run-s,npm-run-all: x* -krnlsg -c= -n= --kill-others --names= --prefix=
nix-shell: r* -pAIE= --run=x --command=x --pure --packages
nix: / [h] -c=p --command=p --option=tt -L -v
nix develop,shell,run: t* -c=p --command=p --=p
chpst,s6-setuidgid,s6-applyuidgid,setuidgid,envuidgid,softlimit,gosu,su-exec,tini,dumb-init,runcon,start-stop-daemon,schedtool,trickle,i3-msg,swaymsg,tmux,screen,dtach,abduco,ccache,distcc,sccache,icecc,hyperfine,envchain,summon,envconsul,supervise,daemonize,daemon,schroot,distrobox-enter,distrobox-host-exec,flatpak-spawn,wine,qemu-x86_64,qemu-aarch64,box64,xinit,ssh-agent,ifne,mispipe,lckdo,pee,timelimit,retry,wait-for-it,dockerize,vaultenv,ld-linux-x86-64,ld,ld-musl-x86_64: o
xterm,gnome-terminal,konsole,alacritty,kitty,foot,urxvt,st: o -e=p -x=p --=p
apptainer,singularity,lxc,incus,nerdctl,ctr,crun,runc,op,aws-vault,chamber,doppler,infisical,teller,flatpak,snap,tsh,oc,minikube,multipass,limactl,colima,vagrant,lerna,nx,volta,nvm,fnm,rbenv,pyenv,jenv,rvm,conda,mamba,micromamba,stack,cabal,opam,guix,sops,foreman,honcho,overmind,toolbox,distrobox,berglas: / --=o
apptainer,singularity,lxc,incus,nerdctl,ctr,crun,runc,op,aws-vault,chamber,doppler,infisical,teller,flatpak,snap,tsh,oc,minikube,multipass,limactl,colima,vagrant,lerna,nx,volta,nvm,fnm,rbenv,pyenv,jenv,rvm,conda,mamba,micromamba,stack,cabal,opam,guix,sops,foreman,honcho,overmind,toolbox,distrobox,berglas task,tasks,do,exec,run,ssh,shell,rsh,enter,record,exec-env,exec-file,environment: o --command=p
just: [o] t* -f=L -d=d -l -n -q -v -u -1 --unsorted --no-deps --one --justfile=L --working-directory=d --list --summary --show= -s= --dry-run --dump --evaluate --variables --groups --choose! --chooser=x --edit! --fmt --check --unstable --init --yes --quiet --verbose --color= --highlight --no-highlight --shell=x --shell-arg=! --set=tt --command=p -c=p --dotenv-filename=! --dotenv-path=! -E=! --tempdir=! --timestamp --explain --no-dotenv --list-heading= --list-prefix= --list-submodules
socat: y*! -duvx -lT=
ftp,lftp,tftp: {debugger} < !*!
nc,netcat,ncat,telnet: !*! -e=x -c=x --exec=x --sh-exec=x --lua-exec=L -l! -o=W
expect: {tcl} < l! t* -c=s! -f=L! -d -i!
tclsh,wish: {tcl} < l! t*
ldd: !*
logrotate,run-parts: !*! --test
`;
