/** Compilers and build systems. */
export const BUILD = String.raw`
$CC [1j] /^(?!@)/* -c -S -E -v -g=? -O=? -W=? -f=? -m=? -std= --std= -D= -U= -I= -L= -l= -x= -pthread -static -shared -w -ansi -pedantic -pipe -rdynamic -M -MM -MD -MMD -MP -MG -MF=W -MT= -MQ= -MJ=W -o=W --output=W -wrapper=! -fplugin=! -fplugin-arg= -specs=! --specs=! -B=! -Xlinker=! -Xassembler=! -Xpreprocessor=! -Xclang=! -Wl,=! -Wp,=! -Wa,=! -fuse-ld=! -fpass-plugin=! -ld-path=! --ld-path=! -dumpdir=W -dumpbase= -aux-info=W -fdump=! -save-temps! -fprofile-dir=W -fprofile-generate!=? -ftime-trace!=? -include=r -imacros=r -isystem= -iquote= -idirafter= -isysroot= -dumpversion -dumpmachine -print-file-name= --version --help=? -print-search-dirs -march= -Werror=? -Wno-error=? -no-canonical-prefixes -load=! -mllvm=! -T=! -z= -e= -u= -s
gcc,g++,cc,c++,clang,clang++,x86_64-linux-gnu-gcc,tcc: $CC
ld.bfd,ld.gold,lld,ld.lld: [1j] r* -plugin=! --plugin=! -T=L -o=W --output=W -dynamic-linker=! --dynamic-linker=! -rpath=! -Map=W
as: r* -o=W -I= --MD=W
ar: [b] t w /^(?!@)/* -cdpqrtxabDfilNosSTuUvV
rustc: /^(?!@)/* -Lvl= -o=W -C=! -Z=! --out-dir=W --emit=! --crate-type= --edition= --cfg= --extern= --test --print=? --target=/^[\w-]+$/ --codegen=!
cargo: / [h] -qv +=! --quiet --verbose --color= --offline --locked --frozen -C=! -Z=! --config=y --target-dir=! --artifact-dir=! --out-dir=! --manifest-path=d --lockfile-path=! --list --version --release -r -p= --package= --workspace --all --features= -F= --all-features --no-default-features --target=/^[\w-]+$/ --message-format= -j= --jobs= --profile= --lib --bin= --bins --example= --test= --tests --benches --all-targets --no-run --no-fail-fast --keep-going --exclude= --timings=? --fix! --allow-dirty
cargo install,login,publish,owner,yank,uninstall,logout: [!]
cargo run,r: t*
cargo watch: t* --=p -x= -w= -i= -cq -s=x --shell=x --exec= --watch= --ignore= --why
cargo fmt: t* --check --all
cargo add,remove,rm: t* --dev --build --path=d --git=! --registry=! --features= -F= --vers=
cargo doc: t* --open! --no-deps
cargo fix: t*! --allow-dirty! --allow-staged!
go: / 
$GO [1] t* -v -race -run= -bench= -count= -short -timeout= -cover -covermode= -coverpkg= -tags= -mod= -p= -json -failfast -parallel= -cpu= -benchmem -benchtime= -skip= -shuffle= -a -n -x -work -trimpath -buildvcs= -i -exec=x -toolexec=x -vettool=x -o=W -C=! -modfile=! -overlay=! -ldflags=/^(?:\s*(?:-[sw]|-X[\s=]?['\x22]?[\w.\/-]+=[^'\x22\s]*['\x22]?|-buildid=\S*))*\s*$/ -gcflags=/^(?:all=)?(?:\s*-[NlmS])*\s*$/ -asmflags=! -gccgoflags=! -pkgdir=! -coverprofile=W -cpuprofile=W -memprofile=W -blockprofile=W -mutexprofile=W -trace=W -outputdir=W -test.cpuprofile=W -test.memprofile=W -test.coverprofile=W -test.blockprofile=W -test.mutexprofile=W -test.trace=W -test.outputdir=W -test.gocoverdir=W -compiler=! -installsuffix= -fuzz= -fuzztime= -test.v
go build,test,vet,install,get,list,fix,bench: $GO -m -u -f= -deps -e -find
go run: $GO [1!]
go env: t* -w! -u! -json
go generate,tool,bug,telemetry: [!]
go version: t* -m -v
go fmt,mod,work,doc,clean: t* -n -x -v -modcache -cache -testcache -json -go= -module= -all -src -u -short
go *: $GO
gofmt,goimports,gofumpt: [1] r* -l -d -s -e -w~ -r= -cpuprofile=W -local=
golangci-lint,staticcheck: / 
golangci-lint run: r* -vjcEDp= -c=L --fix~ --config=L --timeout= --out-format= -E= -D= -j= -v --new-from-rev= --enable= --disable= --path-prefix=
make,gmake,bmake,ninja-make: {make} < A* -bBdeikmnpqrRsStvw -j=? -l=? -f=L -C=d -I=! -oW=! -E=y! --file=L --makefile=L --directory=d --include-dir=! --eval=y! --old-file=! --what-if=! --assume-new=! --new-file=! --dry-run --just-print --recon --silent --quiet --keep-going --ignore-errors --jobs=? --load-average=? --always-make --debug=? --environment-overrides --no-print-directory --print-directory --print-data-base --no-builtin-rules --question --touch --trace --version --help --output-sync=? -O=? --warn-undefined-variables
cmake: [j] t* -S=d -B=w -G= -A= -T= -L -LH -N -D=! -P=L -E!=tp -C=L -U= -W= --build=d --install=! --target= -t= --config= --parallel=? -j=? --verbose -v --trace-redirect=W --toolchain=L --preset= --open=! --workflow! --graphviz=W --fresh --clean-first --version --help=? --list-presets=?
ctest: t* -VQNRELjCIT= -V -N -S=L -O=W --script=L --build-and-test! --output-log=W --build-run-dir=! --output-on-failure --test-dir=d --parallel= --timeout= --preset= --rerun-failed --output-junit=W -R= -E= -L=
meson: / -D=!
meson setup,compile,test,configure: t* -C=d -D=! --cross-file=L --native-file=L --wrap-mode=! --buildtype= --prefix= --wrapper=x
meson devenv,install: !*
ninja: t* -vnk= -j= -l= -v -n -d= -f=L -C=d -t=!
bazel,bazelisk: / --output_base=! --host_jvm_args=!
bazel,bazelisk run: [!]
bazel,bazelisk *: t* --run_under=x --script_path=W --override_repository=! --shell_executable=! -c= -k --config=
gradle,gradlew,./gradlew: t* -qidswxamM -x= -I=L -b=L -c=L -p=d -g=! -D=! -P=! --init-script=L --build-file=L --project-dir=d --include-build=! --gradle-user-home=! --info --stacktrace --offline --no-daemon --daemon --parallel --tests= --console= --scan! --continue --rerun-tasks --dry-run --quiet --warning-mode=
mvn,mvnw: /^(?!exec:|.*:exec|antrun:)/* -qXeobBUVNC -pl= -am -T= -P= -f=L -s=L -gs=L -D=/^(?!exec\.|argLine=|.*(?:executable|[Dd]irectory|[Oo]utputFile|class\.path)=)/ --define=/^(?!exec\.|argLine=|.*(?:executable|[Dd]irectory|[Oo]utputFile|class\.path)=)/ --file=L --settings=L --batch-mode --offline
ant: [1] t* -q -v -d -buildfile=L -file=L -f=L -lib=! -D=! -logger=! -listener=!
sbt,lein,mill,boot: x*!
latex,pdflatex,xelatex,lualatex,tex,pdftex: [1] r* -shell-escape! -enable-write18! -output-directory=W -fmt=! -interaction= -halt-on-error -jobname= -synctex=
latexmk: r* -e=! -r=L -pdf -pvc -outdir=W
rpm,rpmbuild: t* -qailfVp -E!=tp --eval=! --pipe=x --root=! --define=! --load=L --macros=L
dpkg-buildpackage,debuild: o
dotnet: /
dotnet build,test,run,restore,publish,pack,clean,format,list: t* -cfrvn= -o=W --configuration= --framework= --no-build --no-restore --output=W --logger= -l= --filter= --verbosity= --results-directory=W --settings=L -s=L -p=! --property=!
dotnet exec,tool,new,nuget,script: !*
protoc: r* -I= --proto_path= --plugin=! --cpp_out=W --java_out=W --kotlin_out=W --python_out=W --pyi_out=W --go_out=W --go-grpc_out=W --js_out=W --ts_out=W --grpc_out=W --csharp_out=W --ruby_out=W --php_out=W --descriptor_set_out=W --dependency_out=W
swift build,test,package: t* -c= --package-path=d --scratch-path=W --build-path=W --cache-path=! -Xswiftc=! -Xlinker=! -Xcc=!
xcodebuild: [1] t* -scheme= -configuration= -destination= -derivedDataPath=W
zig: / 
zig run,build,test: l t* -femit-bin=W -O=
terraform,tofu: / [1] -chdir=!
terraform,tofu console,login,logout: [!]
terraform,tofu *: [1] t* -var=t -var-file=r -out=W -plugin-dir=! -target= -input= -lock= -no-color -refresh=? -json -auto-approve -upgrade -backend-config= -state=! -state-out=W -backup=W -generate-config-out=W -detailed-exitcode -destroy -compact-warnings -parallelism= -reconfigure -backend= -check -diff -recursive -write=? -raw -from-module=! -get-plugins=?
terraform,tofu providers mirror: !*
ansible,ansible-playbook,ansible-galaxy: !*! -m=! -M=! -i=! -e=! -a=y --args=y
helm: / [h] --kubeconfig=! --post-renderer=x --kube-context= -n= --namespace= --output-dir=W
helm plugin: [!]
helm *: t* -f=r --values=r --set= -n= --namespace= -o= --version= --debug --dry-run=? --output-dir=W --post-renderer=x -d=W --destination=W
apt,apt-get,apt-cache,aptitude: t* -qysdfmu -t= -o=! -c=L --option=! --config-file=L --yes --no-install-recommends
dnf,yum,brew,pacman,zypper,apk,snap-get: t* -yq --assumeyes
dpkg: t* -lLsSWpI -i! -r! -P! -a! --root=! --admindir=! --pre-invoke=x --post-invoke=x --force=?
systemctl: / [h] -qalr -tpnos= --user --no-pager --all --type= --state= --property= --host=! --machine=! -H=! -M=!
systemctl edit,link,enable,set-environment,import-environment,preset: [!]
journalctl: t* -aefkmqrxb=? -nuoptSU= -DM=! --vacuum-size=! --vacuum-time=! --vacuum-files=! --rotate! --flush! --cursor-file=W --since= --until= --no-pager --unit= --follow --lines= --output= --file=q --user --boot=? --grep=
sysctl: t* -aAnNqe -w! -p!=? --system! --load!=? --write!
ip: / -46jshdorcBpt -n= -b=! -batch=! --json
ip netns: /
ip netns exec: t p
ip vrf: /
ip vrf exec: t p
ip *: t*
iptables,nft,ip6tables: !*!
hugo: t* -DEFqvw -bet= -cs=d -d=W --destination=W --source=d --contentDir=d --cacheDir=! --baseURL= --environment= --theme= --minify --gc --buildDrafts
ffmpeg: [1] w* -i=r -y -n -f=/^(?!tee$)/ -vf= -af= -c= -c:v= -c:a= -codec= -vcodec= -acodec= -b:v= -b:a= -q:v= -q:a= -r= -s= -ss= -t= -to= -map= -preset= -crf= -tune= -profile:v= -pix_fmt= -movflags= -ar= -ac= -an -vn -sn -loglevel= -v= -hide_banner -filter_complex= -filter:v= -filter:a= -frames:v= -vframes= -threads= -shortest -metadata= -aspect= -loop= -stream_loop= -framerate= -itsoffset= -vsync= -hwaccel= -stats -nostdin -copyts -report! -passlogfile=W -progress=W -filter_script=L -filter_complex_script=L -dump_attachment=W
`;
